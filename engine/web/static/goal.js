// Rounds load their cells when they are opened, a part at a time; while the run is live, its head, its rounds and those
// cells that change follow it in place.
import { follow, fragment } from "./stream.js";

const head = document.querySelector("#head[data-run]");
const rounds = document.querySelector("#all-rounds");
const { run, view } = head.dataset;
const told = new Map(); // rows that changed before the part that holds them was here
let last = Number(head.dataset.last);

async function load(cells, url) {
  const answer = await fetch(url).catch(() => null);
  if (!answer?.ok || answer.redirected) return;
  const part = fragment(await answer.text());
  const more = part.querySelector("[data-more]");
  for (const row of part.querySelectorAll("[id]")) {
    if (told.has(row.id)) row.replaceWith(told.get(row.id));
    told.delete(row.id);
  }
  cells.append(part);
  if (more) watch(cells, more);
  else cells.dataset.asked = "all";
}

function watch(cells, more) {
  const next = () => {
    seen.disconnect();
    more.closest("p").remove();
    load(cells, more.href);
  };
  const seen = new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && next(), { rootMargin: "600px" });
  more.addEventListener("click", (event) => {
    event.preventDefault();
    next();
  });
  seen.observe(more);
}

function ready(round) {
  const begin = () => {
    const cells = round.querySelector(".cells");
    if (!round.open || cells.dataset.asked) return;
    cells.dataset.asked = "some";
    load(cells, `/admin/goals/${run}/rounds/${round.dataset.round}?view=${view}`);
  };
  round.addEventListener("toggle", begin);
  begin();
}

function replaceHead(html) {
  const held = head.contains(document.activeElement) ? document.activeElement.value : null;
  head.replaceChildren(fragment(html));
  if (held) head.querySelector(`button[value="${held}"]`)?.focus();
  for (const one of rounds.querySelectorAll(".best")) one.classList.remove("best");
  document.getElementById(head.querySelector("[data-best]")?.dataset.best)?.classList.add("best");
}

function replaceRounds(html) {
  for (const fresh of [...fragment(html).children]) {
    const old = rounds.querySelector(`[data-round="${fresh.dataset.round}"]`);
    if (old) {
      old.querySelector("summary").replaceChildren(...fresh.querySelector("summary").childNodes);
    } else {
      rounds.insertBefore(fresh, rounds.querySelector(".none"));
      ready(fresh);
    }
  }
}

function replaceCells(html, number) {
  last = number;
  for (const fresh of [...fragment(html).querySelectorAll("[id]")]) {
    const old = document.getElementById(fresh.id);
    const cells = rounds.querySelector(`[data-round="${fresh.id.slice(1).split("-")[0]}"] .cells`);
    if (old) {
      fresh.className = old.className;
      old.replaceWith(fresh);
    }
    // A cell that was planned only now stands at the end, where all before it are shown already.
    else if (cells?.dataset.asked === "all") [...cells.querySelectorAll(".rows")].at(-1).append(fresh);
    else told.set(fresh.id, fresh);
  }
}

for (const round of rounds.querySelectorAll(".round")) ready(round);
if ("live" in head.dataset) {
  follow(() => `/admin/goals/${run}/events?view=${view}&after=${last}`, {
    head: replaceHead,
    rounds: replaceRounds,
    cells: replaceCells,
  });
}
