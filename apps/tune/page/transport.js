// Requests to the server that this page came from. Of each kind one is in flight, and the
// latest one waits.

export class Refused extends Error {}

let underWay = 0;
/// Whether every answer is here.
export const isIdle = () => underWay === 0;

async function counted(work) {
  ++underWay;
  try { return await work(); } finally { --underWay; }
}

async function checked(response) {
  if (response.ok) return response;
  let said = {};
  try { said = await response.json(); } catch { /* no JSON: the status says enough */ }
  if (said.superseded) return null;
  throw new Refused(said.error ?? `the server says ${response.status}`);
}

export function get(path) {
  return counted(async () => (await checked(await fetch(path))).json());
}

/// Posts JSON; gives the answer's JSON, or a picture {about, bytes}; null where newer work took its
/// place.
export function post(path, asked) {
  return counted(async () => {
    const began = performance.now();
    const response = await checked(
      await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(asked) }));
    return response && answerOf(response, began);
  });
}

export function getPicture(path) {
  return counted(async () => answerOf(await checked(await fetch(path)), performance.now()));
}

async function answerOf(response, began) {
  const about = response.headers.get("Cuesta-Picture");
  if (!about) return response.json();
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { about: JSON.parse(about), bytes, roundTrip: performance.now() - began };
}

/// A function that posts what it is given last; `then` gets answers, never older than one it had. What newer work of
/// another kind took the place of is asked again while it is `wanted`.
export function latest(path, then, failed, wanted = () => false) {
  let busy = false, waiting = null;
  async function run(asked) {
    busy = true;
    try {
      const answer = await post(path, asked);
      if (answer && !waiting) then(answer, asked);
      else if (answer && asked.level > 0) then(answer, asked);  // while something moves, each is welcome
      else if (!answer && !waiting && wanted(asked)) waiting = asked;
    } catch (problem) {
      if (!waiting) failed(problem, asked);
    } finally {
      busy = false;
      if (waiting) { const next = waiting; waiting = null; run(next); }
    }
  }
  return (asked) => { if (busy) waiting = asked; else run(asked); };
}
