// j and k go from step to step while a step has the focus; elsewhere the keys mean nothing.
const steps = [...document.querySelectorAll("#review-steps > li")];

document.querySelector("#review-steps")?.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, textarea, select")) return;
  const move = { j: 1, k: -1 }[event.key];
  if (!move) return;
  const next = steps[steps.indexOf(event.target.closest("li[id^=step-]")) + move];
  next?.focus();
  next?.scrollIntoView({ block: "start" });
  event.preventDefault();
});
