// Follows a run: steps are appended below, open questions and progress are replaced in their own places.
import { localise } from "./times.js";

const timeline = document.querySelector("#timeline[data-run]");
const questions = document.querySelector("#questions");
const said = document.querySelector("#said");
let last = Number(timeline?.dataset.last ?? 0);
let stream = null;

function fragment(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  localise(template.content);
  return template.content;
}

function open() {
  if (stream || !timeline) return;
  stream = new EventSource(`/admin/runs/${timeline.dataset.run}/events?after=${last}`);
  stream.addEventListener("step", (event) => {
    if (Number(event.lastEventId) <= last) return;
    last = Number(event.lastEventId);
    // Whoever reads further up stays there; whoever is at the end sees the new step.
    const atEnd = innerHeight + scrollY > document.documentElement.scrollHeight - 320;
    timeline.append(fragment(JSON.parse(event.data)));
    if (atEnd) timeline.lastElementChild.scrollIntoView({ block: "end" });
  });
  stream.addEventListener("questions", (event) => {
    const html = JSON.parse(event.data);
    if (questions.dataset.html === html) return;
    questions.dataset.html = html;
    // Somebody may be writing a comment: a question that still stands is left as it is.
    const fresh = fragment(html);
    const ids = (root) => [...root.querySelectorAll("[aria-labelledby]")].map((one) => one.getAttribute("aria-labelledby")).join();
    if (ids(fresh) !== ids(questions)) questions.replaceChildren(fresh);
  });
  stream.addEventListener("said", (event) => {
    const text = JSON.parse(event.data);
    if (text) said.textContent = text;
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

// A browser keeps only a few connections to one server: a page that nobody sees gives its own back.
document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
addEventListener("pagehide", close);
open();
