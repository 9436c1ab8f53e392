// Keeps the inbox as it is on the server: new questions come at the end, answered, withdrawn and expired ones say so.
import { fragment } from "./stream.js";

const inbox = document.querySelector("#inbox");
const byId = (root) => new Map([...root.querySelectorAll("[data-id]")].map((one) => [one.dataset.id, one]));

async function look() {
  if (document.hidden) return;
  const then = byId(inbox);
  const answer = await fetch(`/admin/inbox/list?shown=${[...then.keys()]}`).catch(() => null);
  if (answer?.redirected) location.reload();
  if (!answer?.ok) return;
  const { nothing, ...now } = Object.fromEntries(byId(fragment(await answer.text())));
  for (const [id, fresh] of Object.entries(now)) {
    const old = then.get(id);
    if (!old) {
      inbox.insertBefore(fresh, then.get("nothing"));
    } else if ("gone" in fresh.dataset && !("gone" in old.dataset)) {
      // It says how it was answered and keeps its place: nothing moves under a pointer that is on its way to a button.
      fresh.style.minHeight = `${old.offsetHeight}px`;
      const held = old.contains(document.activeElement);
      old.replaceWith(fresh);
      if (held) fresh.focus();
    }
  }
  then.get("nothing").hidden = nothing.hidden;
}

setInterval(look, 1500);
document.addEventListener("visibilitychange", look);
