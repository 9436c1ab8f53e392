// Keeps the inbox as it is on the server: new questions come, answered, withdrawn and expired ones leave.
import { localise } from "./times.js";

const inbox = document.querySelector("#inbox");
const ids = (root) => [...root.querySelectorAll("[data-id]")].map((one) => one.dataset.id);

async function look() {
  if (document.hidden) return;
  const response = await fetch("/admin/inbox/list").catch(() => null);
  if (!response?.ok || response.redirected) return;
  const template = document.createElement("template");
  template.innerHTML = await response.text();
  localise(template.content);
  const [now, then] = [ids(template.content), ids(inbox)];
  if (now.join() === then.join()) return;
  // Questions that still stand stay as they are, with whatever is being written into them.
  const kept = new Map([...inbox.querySelectorAll("[data-id]")].map((one) => [one.dataset.id, one]));
  for (const fresh of template.content.querySelectorAll("[data-id]")) {
    const old = kept.get(fresh.dataset.id);
    if (old) fresh.replaceWith(old);
  }
  inbox.replaceChildren(template.content);
}

setInterval(look, 1500);
document.addEventListener("visibilitychange", look);
