#!/usr/bin/env python3
"""cuesta detect --mqtt against Debian's broker on the loopback, which goes away and comes back.

    test_mqtt.py PATH-TO-CUESTA [unittest arguments]

Needs mosquitto and mosquitto_sub; ends with 77 where they or this build's MQTT are missing.
"""

import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

import servers  # noqa: E402
import test_blind  # noqa: E402
import test_command  # noqa: E402
from test_command import USAGE  # noqa: E402
from test_detect import FRAMES, PLAIN, street  # noqa: E402
from test_live import LiveTest, frames_of, long_street  # noqa: E402

MQTT = (*PLAIN, "--blur", 1, "--min-hits", 1)


class MqttTest(LiveTest):
    """A broker and one who listens to all topics, whose session outlives both."""

    settings = "allow_anonymous true\n"
    login = ()

    def setUp(self):
        super().setUp()
        os.chmod(self.at, 0o755)
        self.port = servers.free_port()
        (self.at / "kept").mkdir()
        os.chmod(self.at / "kept", 0o777)
        self.file("broker.conf", self.configuration().encode())
        self.broker = self.begin_broker()
        self.heard = self.listener()

    def configuration(self):
        return (
            f"listener {self.port} 127.0.0.1\n{self.settings}persistence true\npersistence_location {self.at}/kept/\n"
            "autosave_on_changes true\nautosave_interval 1\nlog_dest none\nuser root\n"
        )

    def begin_broker(self):
        broker = subprocess.Popen(
            ["mosquitto", "-c", self.at / "broker.conf"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(self.end, broker)

        def answers():
            self.assertIsNone(broker.poll(), "the broker does not begin")
            with socket.socket() as there:
                return there.connect_ex(("127.0.0.1", self.port)) == 0

        self.until(answers, "the broker does not answer")
        return broker

    def listener(self):
        path = self.at / "heard"
        listener = subprocess.Popen(
            [
                "mosquitto_sub",
                "-p",
                str(self.port),
                *self.login,
                "-q",
                "2",
                "-c",
                "-i",
                "listener",
                "-t",
                "#",
                "-F",
                "%t\t%r\t%p",
            ],
            stdout=open(path, "ab"),
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(self.end, listener)
        self.until(lambda: self.is_heard("listens"), "nobody listens")
        return path

    def is_heard(self, text):
        subprocess.run(
            ["mosquitto_pub", "-p", str(self.port), *self.login, "-t", "test", "-m", text],
            check=False,
            timeout=60,
        )
        return text in self.text()

    def text(self):
        return (self.at / "heard").read_text(errors="replace")

    def messages(self):
        """(topic, whether it was retained, text), as they came; a last line that is not whole is left out."""
        lines = [
            line.split("\t", 2) for line in self.text().splitlines(True) if line.endswith("\n")
        ]
        return [
            (topic, kept == "1", text.strip()) for topic, kept, text in lines if topic != "test"
        ]

    def of(self, topic):
        return [text for name, _, text in self.messages() if name == topic]

    def events(self, topic):
        """In the order in which they were heard first: what a broken connection leaves unconfirmed may come twice."""
        return list(
            dict.fromkeys(
                (e["id"], e["state"])
                for e in (json.loads(text)["event"] for text in self.of(topic))
            )
        )

    def address(self, rest="/yard", before=""):
        return f"mqtt://{before}127.0.0.1:{self.port}{rest}"

    def hears(self, topic, last="offline"):
        """Waits until the last message of the run is there."""
        self.until(
            lambda: self.of(f"{topic}/status")[-1:] == [last],
            f"{topic} is not {last}: {self.text()}",
        )


class Told(MqttTest):
    def test_events_are_those_of_the_lines(self):
        done = self.run_cuesta(
            "detect", "street.y4m", "--mqtt", self.address("/home/yard"), "--json", "-", *MQTT
        )
        self.assertEqual(done.stderr, b"")
        self.hears("home/yard")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        wanted = [
            {"source": "street.y4m", "event": line["event"]} for line in lines if "event" in line
        ]
        self.assertEqual([json.loads(text) for text in self.of("home/yard/events")], wanted)
        self.assertEqual([event["event"]["state"] for event in wanted], ["began", "ended"])
        self.assertEqual(self.of("home/yard/status"), ["online", "offline"])
        self.assertEqual(
            {topic for topic, _, _ in self.messages()},
            {"home/yard/events", "home/yard/status", "home/yard/motion", "home/yard/blind"},
        )
        self.assertEqual(self.of("home/yard/motion")[-1], "OFF")
        # Who comes later hears the last state.
        told = subprocess.run(
            [
                "mosquitto_sub",
                "-p",
                str(self.port),
                "-t",
                "home/yard/status",
                "-F",
                "%t %r %p",
                "-C",
                "1",
                "-W",
                "20",
            ],
            capture_output=True,
            timeout=60,
        ).stdout
        self.assertEqual(told, b"home/yard/status 1 offline\n")

    def test_objects_and_every_quality(self):
        for quality in (0, 1, 2):
            topic = f"q{quality}"
            done = self.run_cuesta(
                "detect",
                "street.y4m",
                "--mqtt",
                self.address("/" + topic),
                "--mqtt-objects",
                "--mqtt-qos",
                quality,
                "--json",
                "-",
                *MQTT,
            )
            self.hears(topic)
            frames = frames_of(done.stdout)
            seen = [k for k, line in enumerate(frames) if line["objects"]]
            wanted = frames[seen[0] : min(seen[-1] + 2, FRAMES)]
            # MQTT keeps the order within one quality of service only: the last status (QoS 1) can
            # arrive while the handshakes of the last objects (QoS 2) are in flight.
            self.until(
                lambda: len(self.of(f"{topic}/objects")) >= len(wanted),
                f"{topic}: {len(self.of(f'{topic}/objects'))} of {len(wanted)} messages arrive",
            )
            self.assertEqual([json.loads(text) for text in self.of(f"{topic}/objects")], wanted)
            self.assertGreater(len(wanted), 5)

    def test_cameras_have_topics_of_their_own(self):
        for rest, topic in (("/site", "site/{}"), ("/a/{name}/b", "a/{}/b"), ("", "cuesta/{}")):
            self.run_cuesta(
                "detect", "street.y4m", "./street.y4m", "--mqtt", self.address(rest), *MQTT
            )
            for name in ("street", "street-2"):
                self.hears(topic.format(name))
                events = [json.loads(text) for text in self.of(topic.format(name) + "/events")]
                self.assertEqual(
                    [(e["camera"], e["event"]["state"]) for e in events],
                    [(name, "began"), (name, "ended")],
                )
        self.run_cuesta("detect", "street.y4m", "--mqtt", self.address("/one/{name}"), *MQTT)
        self.hears("one/street")

    def test_zones_and_lines_have_states_that_are_retained(self):
        self.file(
            "scene.toml",
            b'[[zones]]\nname = "the yard"\npolygon = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]\n'
            b'[[zones]]\nname = "a/b"\npolygon = [[0.0, 0.0], [0.01, 0.0], [0.01, 0.01]]\n'
            b'[[zones]]\nname = "tree"\nkind = "exclude"\npolygon = [[0.0, 0.0], [0.01, 0.0], [0.0, 0.01]]\n'
            b'[[lines]]\nname = "gate"\nfrom = [0.5, 1.0]\nto = [0.5, 0.0]\nways = ["in", "out"]\n',
        )
        process = self.start(
            *("detect", "-", "--mqtt", self.address("/home/yard"), "--json", "o.nd", *MQTT),
            *("--scene", "scene.toml", "--mqtt-discovery", "homeassistant"),
        )
        header, frames = street().split(b"\n", 1)
        process.stdin.write(header + b"\n" + frames[: len(frames) // FRAMES])
        process.stdin.flush()
        gate = "home/yard/lines/gate/in"
        self.until(lambda: self.of(gate), "the broker has no states")
        process.stdin.write(frames[len(frames) // FRAMES :])
        said = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, 0, said)
        self.hears("home/yard")
        lines = [json.loads(line) for line in (self.at / "o.nd").read_text().splitlines()]
        for topic in ("motion", "zones/the yard", "zones/the yard/motion"):
            self.assertEqual(self.of("home/yard/" + topic), ["OFF", "ON", "OFF"], topic)
        for below in ("", "/motion"):
            self.assertEqual(self.of("home/yard/zones/a-b" + below), ["OFF"])
        levels = [int(text) for text in self.of("home/yard/zones/the yard/level")]
        self.assertTrue(all(0 <= level <= 100 for level in levels) and max(levels) > 0, levels)
        states = [json.loads(text) for text in self.of("home/yard/zones/the yard/state")]
        wanted = [line["zone"] for line in lines if line["kind"] == "zone"]
        self.assertEqual(states[1:-1], wanted)
        self.assertFalse(states[-1]["occupied"])
        crossed = [line["crossing"]["to"] for line in lines if line["kind"] == "crossing"]
        self.assertTrue(crossed)
        for way in ("in", "out"):
            counts = [str(k) for k in range(crossed.count(way) + 1)]
            self.assertEqual(self.of(f"home/yard/lines/gate/{way}"), counts)
        self.assertFalse([topic for topic, _, _ in self.messages() if "tree" in topic])
        # Who comes later hears all of them, and how they are to be shown.
        topics = {topic for topic, _, _ in self.messages()} - {"home/yard/events"}
        told = subprocess.run(
            [
                "mosquitto_sub",
                "-p",
                str(self.port),
                "-t",
                "#",
                "-F",
                "%t %r",
                "-C",
                str(len(topics)),
            ]
            + ["-W", "20"],
            capture_output=True,
            timeout=60,
        ).stdout.decode()
        self.assertEqual(set(told.splitlines()), {f"{topic} 1" for topic in topics})
        self.check_discovery(topics)

    def test_a_blind_time_is_a_state_that_is_retained(self):
        self.file("lamp.y4m", test_blind.lamp())
        done = self.run_cuesta(
            "detect",
            "lamp.y4m",
            "--mqtt",
            self.address("/home/yard"),
            "--json",
            "-",
            *test_blind.RUN,
        )
        lines = map(json.loads, done.stdout.splitlines())
        (blind,) = (line["blind"] for line in lines if line["kind"] == "blind")
        self.hears("home/yard")
        states = self.of("home/yard/blind")
        self.assertEqual([state for state, _ in itertools.groupby(states)], ["OFF", "ON", "OFF"])
        self.assertEqual([json.loads(text) for text in self.of("home/yard/blind/state")], [blind])

    def test_pictures(self):
        self.file("street.y4m", street(chroma=b"420jpeg"))
        self.run_cuesta("detect", "street.y4m", "--mqtt", self.address("/yard"), "--mqtt-pictures",
                        "--pictures", "shots", "--mqtt-discovery", "homeassistant", *MQTT)  # fmt: skip

        def kept(topic):
            words = [
                "mosquitto_sub",
                "-p",
                str(self.port),
                "-t",
                topic,
                "-C",
                "1",
                "-N",
                "-W",
                "20",
            ]
            return subprocess.run(words, capture_output=True, timeout=60).stdout

        (shot,) = (self.at / "shots").iterdir()
        self.assertEqual(kept("yard/picture"), shot.read_bytes())
        config = json.loads(kept("homeassistant/image/cuesta_yard/picture/config"))
        self.assertEqual(config["image_topic"], "yard/picture")
        self.assertEqual(config["content_type"], "image/jpeg")
        self.assertNotIn("state_topic", config)
        self.fails(
            USAGE,
            "detect",
            "street.y4m",
            "--json",
            "-",
            "--mqtt-pictures",
            says=("--mqtt-pictures", "--mqtt"),
        )

    def check_discovery(self, topics):
        """What Home Assistant documents of discovery: topics of five levels, and their members."""
        configs = {
            topic.split("/", 1)[1]: json.loads(self.of(topic)[-1])
            for topic in topics
            if topic.startswith("homeassistant/")
        }
        # The camera's motion; of two zones two switches and a level; of a line two counts.
        self.assertEqual(len(configs), 2 + 2 * 3 + 2)
        self.assertEqual(len({config["unique_id"] for config in configs.values()}), len(configs))
        for topic, config in configs.items():
            with self.subTest(topic):
                self.assertRegex(
                    topic, r"^(binary_sensor|sensor)/cuesta_home_yard/[A-Za-z0-9_-]+/config$"
                )
                self.assertIn(config["state_topic"], topics)
                self.assertEqual(config["availability_topic"], "home/yard/status")
                self.assertEqual(config["payload_available"], "online")
                self.assertEqual(config["payload_not_available"], "offline")
                self.assertEqual(config["device"]["identifiers"], ["cuesta_home_yard"])
                self.assertTrue(config["name"] and config["device"]["name"])
                if topic.startswith("binary_sensor"):
                    self.assertEqual((config["payload_on"], config["payload_off"]), ("ON", "OFF"))
                    self.assertIn(config["device_class"], ("motion", "occupancy", "problem"))
                    self.assertIn(self.of(config["state_topic"])[-1], ("ON", "OFF"))
                else:
                    self.assertIn(config["state_class"], ("measurement", "total_increasing"))
                    self.assertGreaterEqual(int(self.of(config["state_topic"])[-1]), 0)
                if "json_attributes_topic" in config:
                    self.assertIn(config["json_attributes_topic"], topics)

    def test_a_crash_is_told_by_the_broker(self):
        process = self.start("detect", "-", "--mqtt", self.address(), *MQTT)
        process.stdin.write(street())
        process.stdin.flush()
        self.until(lambda: self.of("yard/events"), "no event")
        self.assertEqual(self.of("yard/status"), ["online"])
        process.kill()
        self.hears("yard")

    def test_what_is_no_address(self):
        for address, says in (
            ("http://a/b", "begin with mqtt://"),
            ("mqtt:///b", "host is missing"),
            ("mqtt://a:x/b", 'the port is "x"'),
            ("mqtt://a:70000/b", "70000"),
            ("mqtt://a/b/#", "b/#"),
            ("mqtt://a/b%2Bc", "b+c"),
            ("mqtt://:secret@a/b", "requires a user"),
            ("mqtt://[::1/b", "]"),
            ("mqtts://a/$SYS", "$SYS"),
        ):
            with self.subTest(address):
                self.assertNotIn(
                    "secret",
                    self.fails(
                        USAGE, "detect", "street.y4m", "--mqtt", address, says=("--mqtt", says)
                    ),
                )
        self.fails(USAGE, "detect", "street.y4m", "--mqtt", "mqtt://a", "--mqtt-qos", 3)
        self.fails(
            USAGE, "detect", "street.y4m", "--json", "-", "--mqtt-objects", says=("--mqtt-objects",)
        )
        says = ("--mqtt-discovery requires a broker",)
        self.fails(
            USAGE, "detect", "street.y4m", "--json", "-", "--mqtt-discovery", "home", says=says
        )
        for topic in ("a/+", "#", "$SYS", "a/"):
            self.fails(
                *(USAGE, "detect", "street.y4m", "--mqtt", "mqtt://a", "--mqtt-discovery", topic),
                says=("--mqtt-discovery is", topic),
            )


class Away(MqttTest):
    def test_a_broker_that_is_killed_and_comes_back(self):
        """Nothing is lost of what was published before, while it was away, and after; frames wait for nothing."""
        process = self.start(
            "detect",
            "-",
            "--mqtt",
            self.address(),
            "--json",
            "o.nd",
            "--merge-window",
            0.1,
            "--min-event",
            0,
            *MQTT,
        )
        header, once = street().split(b"\n", 1)
        empty = once[: len(once) // FRAMES] * 30  # a second without the square: the event is over
        process.stdin.write(header + b"\n" + once + empty)
        process.stdin.flush()
        self.until(lambda: self.events("yard/events") == [(1, "began"), (1, "ended")], "no event")
        time.sleep(2.5)  # the broker has noted that it sent them
        for number in range(2, 4):
            self.broker.kill()
            self.broker.wait()
            before = self.lines_in("o.nd")
            process.stdin.write(once + empty)
            process.stdin.flush()
            self.until(
                lambda: self.lines_in("o.nd") == before + FRAMES + 30 + 2,
                "frames wait for the broker",
            )
            self.assertEqual(len(self.events("yard/events")), 2 * (number - 1))
            self.broker = self.begin_broker()
            self.until(lambda: (number, "ended") in self.events("yard/events"), self.text())
        process.stdin.close()
        said = process.stderr.read().decode()
        self.assertEqual(process.wait(timeout=60), 0, said)
        self.hears("yard")
        self.assertEqual(
            self.events("yard/events"),
            [(n, state) for n in range(1, 4) for state in ("began", "ended")],
        )
        # Each connection begins with the states, and none is sent after a newer one.
        self.assertEqual(self.of("yard/motion")[-1], "OFF")
        self.assertEqual(said.count(": lost: "), 2, said)
        self.assertEqual(said.count(": back after "), 2, said)
        self.assertNotIn("were lost", said)

    def test_a_broker_that_never_comes(self):
        self.broker.kill()
        self.broker.wait()
        wanted = self.run_cuesta("detect", "street.y4m", "--json", "-", "--track", *MQTT).stdout
        begin = time.monotonic()
        done = self.run_cuesta(
            "detect", "street.y4m", "--mqtt", self.address(before="u:secret@"), "--json", "-", *MQTT
        )
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(done.stdout.split(b"\n", 1)[1], wanted.split(b"\n", 1)[1])
        said = done.stderr.decode()
        # Sought again, if the video has not ended by then.
        self.assertIn(f"--mqtt {self.address('')}: cannot be reached: Connection refused", said)
        self.assertIn(f"--mqtt {self.address('')}: 2 of 2 messages were lost", said)
        self.assertNotIn("secret", said)

    def test_a_broker_that_hangs_is_waited_for_by_nobody_and_what_is_too_much_is_counted(self):
        self.file("long.y4m", long_street(1500))
        self.broker.send_signal(signal.SIGSTOP)
        try:
            process = self.start(
                "detect",
                "long.y4m",
                "--mqtt",
                self.address(),
                "--mqtt-objects",
                "--json",
                "o.nd",
                "--follow",
                *MQTT,
            )
            said = process.communicate(timeout=120)[1].decode()
        finally:
            self.broker.send_signal(signal.SIGCONT)
        self.assertEqual(process.returncode, 0, said)
        frames = frames_of((self.at / "o.nd").read_text())
        self.assertEqual(len(frames), 1500)
        shows = [bool(line["objects"]) for line in frames]
        told = sum(now or before for now, before in zip(shows, [False, *shows])) + 2
        self.assertGreater(told, 1300)
        self.assertIn(f"{told} of {told} messages were lost", said)

    def test_more_than_waits_is_lost_but_events_last(self):
        process = self.start(
            "detect", "-", "--mqtt", self.address(), "--mqtt-objects", "--json", "o.nd", *MQTT
        )
        header, once = street().split(b"\n", 1)
        process.stdin.write(header + b"\n" + once)
        process.stdin.flush()
        self.until(lambda: self.of("yard/objects"), "nothing is told")
        self.broker.kill()
        self.broker.wait()
        process.stdin.write(long_street(1500).split(b"\n", 1)[1])
        process.stdin.close()
        self.until(lambda: self.lines_in("o.nd") >= 1500 + FRAMES + 1, "frames wait for the broker")
        self.broker = self.begin_broker()
        said = process.stderr.read().decode()
        self.assertEqual(process.wait(timeout=60), 0, said)
        self.hears("yard")
        self.assertEqual(self.events("yard/events"), [(1, "began"), (1, "ended")])
        lost = int(said.split(" messages were lost")[-2].split()[-3])
        frames = frames_of((self.at / "o.nd").read_text())
        shows = [bool(line["objects"]) for line in frames]
        told = sum(now or before for now, before in zip(shows, [False, *shows]))
        self.assertGreater(lost, 300)
        # What the broker got before it was killed may be heard twice.
        self.assertEqual(
            len({json.loads(text)["frame"] for text in self.of("yard/objects")}), told - lost
        )


class Guarded(MqttTest):
    login = ("-u", "cam", "-P", "p@ss/1")

    def configuration(self):
        subprocess.run(
            ["mosquitto_passwd", "-b", "-c", self.at / "passwords", "cam", "p@ss/1"],
            check=True,
            capture_output=True,
        )
        os.chmod(self.at / "passwords", 0o644)
        self.settings = f"allow_anonymous false\npassword_file {self.at}/passwords\n"
        if not shutil.which("openssl"):
            return super().configuration()
        self.tls = servers.free_port()
        run = lambda *words: subprocess.run(
            ["openssl", *words], cwd=self.at, check=True, capture_output=True, timeout=120
        )
        run(
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-keyout",
            "key.pem",
            "-out",
            "cert.pem",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost",
        )
        os.chmod(self.at / "key.pem", 0o644)
        return (
            super().configuration()
            + f"listener {self.tls} 127.0.0.1\ncertfile {self.at}/cert.pem\nkeyfile {self.at}/key.pem\n"
        )

    def test_a_user(self):
        self.run_cuesta(
            "detect", "street.y4m", "--mqtt", self.address(before="cam:p%40ss%2F1@"), *MQTT
        )
        self.hears("yard")
        self.assertEqual(len(self.of("yard/events")), 2)
        said = self.run_cuesta(
            "detect", "street.y4m", "--mqtt", self.address(before="cam:secret@"), *MQTT
        ).stderr.decode()
        self.assertIn("cannot be reached: Connection Refused: not authorised", said)
        self.assertIn("2 of 2 messages were lost", said)
        self.assertNotIn("secret", said)

    def test_tls(self):
        if not shutil.which("openssl"):
            self.skipTest("no openssl here")
        address = f"mqtts://cam:p%40ss%2F1@localhost:{self.tls}/yard"
        trusting = {**os.environ, "SSL_CERT_FILE": str(self.at / "cert.pem")}
        done = self.run_cuesta(
            "detect", "street.y4m", "--mqtt", address, "--mqtt-objects", *MQTT, env=trusting
        )
        self.assertEqual(done.stderr, b"")
        self.hears("yard")
        self.assertEqual(len(self.of("yard/events")), 2)
        self.assertGreater(len(self.of("yard/objects")), 5)
        for environment, place in ((os.environ, "localhost"), (trusting, "127.0.0.1")):
            done = self.run_cuesta(
                "detect",
                "street.y4m",
                "--mqtt",
                address.replace("localhost", place),
                *MQTT,
                env=dict(environment),
            )
            self.assertIn(b"cannot be reached: ", done.stderr)
            self.assertIn(b"2 of 2 messages were lost", done.stderr)


if __name__ == "__main__":
    test_command.CUESTA = os.path.abspath(sys.argv.pop(1))
    os.environ["PATH"] += ":/usr/sbin"
    without = subprocess.run(
        [test_command.CUESTA, "detect", "a", "--mqtt", "mqtt://a"], capture_output=True
    ).stderr
    if (
        b"has no MQTT" in without
        or not shutil.which("mosquitto")
        or not shutil.which("mosquitto_sub")
    ):
        print("skipped: no mosquitto here, or no MQTT in this build")
        sys.exit(77)
    unittest.main(verbosity=2)
