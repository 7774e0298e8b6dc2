"""Servers of video on the loopback, for tests: HTTP with ranges, streams without an end, RTSP."""

import contextlib
import dataclasses
import random
import re
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Http:
    """Serves what `pages` names: bytes, with ranges, or a function that writes to the connection
    until it returns, which then breaks off. `asked` counts requests of each."""

    def __init__(self, pages, port=0):
        self.pages, self.asked = pages, {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                outer.answer(self)

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.05}
        )
        self.thread.start()

    def answer(self, request):
        name = request.path.lstrip("/")
        self.asked[name] = self.asked.get(name, 0) + 1
        page = self.pages.get(name)
        if page is None:
            return request.send_error(404)
        try:
            if callable(page):
                request.send_response(200)
                request.end_headers()
                page(request.wfile, self.asked[name])
                return
            begin, end = 0, len(page)
            asked = re.match(r"bytes=(\d+)-(\d*)", request.headers.get("Range", ""))
            if asked:
                begin = int(asked[1])
                end = min(end, int(asked[2]) + 1) if asked[2] else end
            request.send_response(206 if asked else 200)
            request.send_header("Accept-Ranges", "bytes")
            request.send_header("Content-Length", str(max(0, end - begin)))
            if asked:
                request.send_header("Content-Range", f"bytes {begin}-{end - 1}/{len(page)}")
            request.end_headers()
            request.wfile.write(page[begin:end])
        except (BrokenPipeError, ConnectionResetError):
            pass

    def address(self, name):
        return f"http://127.0.0.1:{self.server.server_address[1]}/{name}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def free_port(kind=socket.SOCK_STREAM):
    """A port below those that the system gives to connections: nobody takes it before its use."""
    for port in random.sample(range(20000, 32000, 2), 1000):
        with socket.socket(type=kind) as taken, contextlib.suppress(OSError):
            taken.bind(("127.0.0.1", port))
            return port
    raise OSError("no port is free")


class Sender:
    """Sends an MPEG transport stream to a port, over and over, until it is closed: as UDP, as RTP
    over UDP (RFC 2250, payload type 33), or over TCP to whoever listens there. `report` is the time,
    in seconds after 1970, that a sender report of RTP gives before each round."""

    def __init__(self, kind, port, stream, seconds, report=None):
        self.kind, self.port, self.stream, self.seconds = kind, port, stream, seconds
        self.report = report
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.send)
        self.thread.start()

    def send(self):
        size = 7 * 188
        parts = [self.stream[k : k + size] for k in range(0, len(self.stream), size)]
        is_tcp = self.kind == "tcp"
        with socket.socket(type=socket.SOCK_STREAM if is_tcp else socket.SOCK_DGRAM) as out:
            while is_tcp and out.connect_ex(("127.0.0.1", self.port)) and not self.ending.is_set():
                time.sleep(0.02)
            number = 0
            while not self.ending.is_set():
                if self.report is not None:
                    out.sendto(sender_report(self.report, 0), ("127.0.0.1", self.port + 1))
                for part in parts:
                    head = struct.pack(">BBHII", 0x80, 33, number & 0xFFFF, 0, 1)
                    try:
                        if is_tcp:
                            out.sendall(part)
                        else:
                            whole = head + part if self.kind == "rtp" else part
                            out.sendto(whole, ("127.0.0.1", self.port))
                    except (BrokenPipeError, ConnectionResetError, ConnectionRefusedError):
                        pass  # nobody listens there now
                    number += 1
                    self.ending.wait(self.seconds / len(parts))

    def close(self):
        self.ending.set()
        self.thread.join()


def access_units(h264):
    """NAL units of an Annex B stream, in lists of one picture each."""
    units, before = [], []
    for nal in re.split(rb"\x00*\x00\x00\x01", h264)[1:]:
        is_slice = nal[0] & 31 in (1, 5)
        if (
            is_slice and not nal[1] & 0x80
        ):  # its first_mb_in_slice is not 0: another slice of the picture
            units[-1].append(nal)
            continue
        before.append(nal)
        if is_slice:
            units.append(before)
            before = []
    return units


def sender_report(seconds, timestamp):
    """RTCP: the time after 1970 of a timestamp of RTP (RFC 3550, 6.4.1)."""
    ntp = int((seconds + 2208988800) * 2**32)
    return struct.pack(">BBHIQIII", 0x80, 200, 6, 1, ntp, timestamp & 0xFFFFFFFF, 0, 0)


@dataclasses.dataclass
class Report:
    """A sender report of RTCP."""

    time: float


class Rtsp:
    """RTSP 1.0 with RTP/AVP/TCP interleaved (RFC 2326, 10.12) and H.264 (RFC 6184). Connection n gets
    the pictures of `plan(n)`: access units, numbers, which are seconds of silence, and Report(t),
    which says that the next picture was taken t seconds after 1970 (RFC 3550, 6.4.1). Then the
    connection is closed. After `most` connections that played nobody listens any more."""

    def __init__(self, plan, rate=60, port=0, most=None):
        self.plan, self.rate, self.most = plan, rate, most
        self.sent, self.connections = [], 0
        self.ending = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", port))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.accept)
        self.thread.start()

    def accept(self):
        self.listener.settimeout(0.05)
        while not self.ending.is_set():
            try:
                peer, _ = self.listener.accept()
            except TimeoutError:
                continue
            with peer:
                try:
                    self.serve(peer)
                except (BrokenPipeError, ConnectionResetError, TimeoutError):
                    pass
                if self.connections == self.most:
                    self.listener.close()  # before the client can know that it was left
                    return

    def serve(self, peer):
        peer.settimeout(10)
        text = b""
        while not self.ending.is_set():
            while b"\r\n\r\n" not in text:
                more = peer.recv(4096)
                if not more:
                    return
                text += more
            request, text = text.split(b"\r\n\r\n", 1)
            method = request.split(b" ", 1)[0]
            number = re.search(rb"CSeq: *(\d+)", request)[1].decode()
            extra, body = "Session: 1\r\n", ""
            if method == b"OPTIONS":
                extra = "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN\r\n"
            elif method == b"DESCRIBE":
                body = (
                    "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=test\r\nc=IN IP4 0.0.0.0\r\nt=0 0\r\na=control:*\r\n"
                    "m=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=1\r\n"
                    "a=control:track1\r\n"
                )
                extra = f"Content-Type: application/sdp\r\nContent-Length: {len(body)}\r\n"
            elif method == b"SETUP":
                extra += "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n"
            peer.sendall(f"RTSP/1.0 200 OK\r\nCSeq: {number}\r\n{extra}\r\n{body}".encode())
            if method == b"TEARDOWN":
                return
            if method == b"PLAY":
                return self.play(peer)

    def play(self, peer):
        at = self.connections
        self.connections += 1
        self.sent.append(0)
        sequence, clock = 0, 0
        for unit in self.plan(at):
            if self.ending.is_set():
                return
            if isinstance(unit, (int, float)):
                self.ending.wait(unit)
                continue
            if isinstance(unit, Report):
                report = sender_report(unit.time, clock)
                peer.sendall(struct.pack(">cBH", b"$", 1, len(report)) + report)
                continue
            for i, nal in enumerate(unit):
                for last, payload in self.payloads(nal):
                    mark = 0x80 if last and i == len(unit) - 1 else 0
                    packet = (
                        struct.pack(">BBHII", 0x80, 96 | mark, sequence & 0xFFFF, clock, 1)
                        + payload
                    )
                    peer.sendall(struct.pack(">cBH", b"$", 0, len(packet)) + packet)
                    sequence += 1
            self.sent[at] += 1
            clock += 90000 // self.rate
            time.sleep(1 / self.rate)

    @staticmethod
    def payloads(nal, most=1200):
        if len(nal) <= most:
            yield True, nal
            return
        body = nal[1:]
        for begin in range(0, len(body), most):
            part = body[begin : begin + most]
            first, last = begin == 0, begin + most >= len(body)
            yield last, bytes([nal[0] & 0xE0 | 28, first << 7 | last << 6 | nal[0] & 31]) + part

    def address(self, user=""):
        return f"rtsp://{user}127.0.0.1:{self.port}/street"

    def close(self):
        self.ending.set()
        self.thread.join()
        self.listener.close()
