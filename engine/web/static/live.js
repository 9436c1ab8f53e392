// Follows a run: steps are appended below, open questions stand at the foot of the window, progress in a line of its own.
import { follow, fragment } from "./stream.js";

const timeline = document.querySelector("#timeline[data-run]");
const questions = document.querySelector("#questions");
const said = document.querySelector("#said");
let last = Number(timeline.dataset.last);

const ids = (root) => [...root.querySelectorAll("[data-id]")].map((one) => one.dataset.id).join();

follow(() => `/admin/runs/${timeline.dataset.run}/events?after=${last}`, {
  step(html, number) {
    if (number <= last) return;
    last = number;
    // Whoever reads further up stays there; whoever is at the end sees the new step.
    const atEnd = innerHeight + scrollY > document.documentElement.scrollHeight - 320;
    timeline.append(fragment(html));
    if (atEnd) timeline.lastElementChild.scrollIntoView({ block: "end" });
  },
  questions(html) {
    // Somebody may be writing a comment: a question that still stands is left as it is.
    const fresh = fragment(html);
    if (ids(fresh) === ids(questions)) return;
    const lost = questions.contains(document.activeElement);
    questions.replaceChildren(fresh);
    if (lost) said.focus();
  },
  said(text) {
    if (text) said.textContent = text;
  },
});
