// How many steps wait for a person, asked now and then while the page is seen.
const badge = document.querySelector("[data-waiting]");

async function look() {
  if (document.hidden || !badge) return;
  const response = await fetch("/admin/waiting", { headers: { accept: "application/json" } }).catch(() => null);
  if (!response?.ok || response.redirected) return;
  const { waiting } = await response.json();
  badge.textContent = waiting;
  badge.hidden = waiting === 0;
}

setInterval(look, 10_000);
document.addEventListener("visibilitychange", look);
