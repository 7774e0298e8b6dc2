// The tuner's page: asks what is tuned, and shows it.
import { Film } from "./film.js";
import { Photo } from "./photo.js";
import { get, isIdle } from "./transport.js";

const at = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en");

function say({ answer, exact, stage }) {
  const { about, roundTrip } = answer;
  at("times").textContent = `${exact ? "exact" : "preview"} ${about.width} × ${about.height} · ` +
    `${about.ms} ms on the server, ${roundTrip.toFixed(1)} ms in all`;
  if (!exact || about.frame !== undefined) return;
  const facts = [];
  if (stage === "edges" && about.sigma !== undefined) facts.push(`sigma ${about.sigma}`);
  if (stage === "edges" && about.low !== undefined) facts.push(`thresholds ${Number(about.low.toFixed(2))} and ${Number(about.high.toFixed(2))}`);
  if (stage === "edges" && about.edge_pixels !== undefined) {
    const part = (100 * about.edge_pixels) / (about.width * about.height);
    facts.push(`${number.format(about.edge_pixels)} edge pixels, ${part.toFixed(1)} %`);
  }
  if (about.lines !== undefined) facts.push(`${number.format(about.lines)} lines`);
  at("status").textContent = facts.join(" · ");
}

const about = await get("about");
at("name").textContent = about.name.split("/").pop();
at("facts").textContent = `${number.format(about.width)} × ${number.format(about.height)}${about.bits > 8 ? `, ${about.bits} bits` : ""}`;
document.title = `${about.name.split("/").pop()} – Cuesta tuner`;

const tuner = new (about.verb === "edges" ? Photo : Film)(about, say);
const { view } = tuner;

view.moved = () => { at("zoom").textContent = `${Math.round(view.scale * 100)} %`; };
at("zoom-in").addEventListener("click", () => view.zoomTo(view.scale * 1.25));
at("zoom-out").addEventListener("click", () => view.zoomTo(view.scale / 1.25));
at("fit").addEventListener("click", () => view.fit());
at("full").addEventListener("click", () => view.zoomTo(1));

const nothing = "What a control does stands here once it has the pointer or the focus.";
at("help").textContent = nothing;
// The words of the control that is pointed at or has the focus.
const explain = (event) => { at("help").textContent = event.target.closest?.("[data-help]")?.dataset.help ?? nothing; };
at("options").addEventListener("focusin", explain);
at("options").addEventListener("pointerover", explain);

globalThis.tuner = Object.assign(tuner, { isIdle });  // for the console
