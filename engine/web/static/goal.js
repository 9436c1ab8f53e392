// Rounds load their cells when they are opened, a part at a time; the head and the counts follow the run while it is live.
import { localise } from "./times.js";

const head = document.querySelector("#head[data-run]");
const run = head.dataset.run;

function fragment(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  localise(template.content);
  return template.content;
}

async function part(cells, url) {
  const response = await fetch(url).catch(() => null);
  if (!response?.ok || response.redirected) return;
  const content = fragment(await response.text());
  const more = content.querySelector("[data-more]");
  const table = cells.querySelector("table tbody");
  const rows = content.querySelector("table tbody");
  if (table && rows) {
    table.append(...rows.children);
    content.querySelector("table").remove();
  }
  cells.append(content);
  if (more) watch(cells, more);
}

function watch(cells, more) {
  const next = () => {
    seen.disconnect();
    more.closest("p").remove();
    part(cells, more.href);
  };
  const seen = new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && next(), { rootMargin: "200px" });
  more.addEventListener("click", (event) => {
    event.preventDefault();
    next();
  });
  seen.observe(more);
}

function load(round) {
  const cells = round.querySelector(".cells");
  cells.replaceChildren();
  part(cells, `/admin/goals/${run}/rounds/${round.dataset.round}?view=${round.dataset.view}`);
}

for (const round of document.querySelectorAll(".round")) {
  round.addEventListener("toggle", () => round.open && !round.querySelector(".part") && load(round));
  if (round.open) load(round);
}

let stream = null;
function open() {
  if (stream || !("live" in head.dataset)) return;
  stream = new EventSource(`/admin/goals/${run}/events`);
  stream.addEventListener("run", (event) => {
    const told = JSON.parse(JSON.parse(event.data));
    head.replaceChildren(fragment(told.head));
    for (const [number, [ended, planned]] of Object.entries(told.rounds)) {
      const round = document.querySelector(`.round[data-round="${number}"]`);
      if (!round) return location.reload();
      const count = round.querySelector("[data-ended]");
      const text = `${ended} / ${planned}`;
      if (count.textContent === text) continue;
      count.textContent = text;
      if (round.open && window.scrollY < 400) load(round);
    }
  });
  stream.addEventListener("end", () => {
    close();
    location.reload();
  });
}
function close() {
  stream?.close();
  stream = null;
}
document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
addEventListener("pagehide", close);
open();
