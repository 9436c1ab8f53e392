// Puts every <time> into the viewer's own zone and language; pages that change call localise again for what is new.
const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "medium" });

export function localise(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([data-local])")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.valueOf())) continue;
    time.title = time.textContent;
    time.textContent = format.format(at);
    time.dataset.local = "";
  }
}

const words = (seconds) => {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours ? `${hours} h ${minutes} min` : minutes ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
};

// Counts down to a moment, <span data-until="…">, or up from one, data-since; the server's text stands until the first tick.
function tick() {
  for (const left of document.querySelectorAll("[data-until]")) {
    const seconds = Math.max(0, Math.round((new Date(left.dataset.until) - Date.now()) / 1000));
    left.textContent = words(seconds);
    left.classList.toggle("urgent", seconds < 60);
  }
  for (const gone of document.querySelectorAll("[data-since]")) {
    gone.textContent = words(Math.max(0, Math.round((Date.now() - new Date(gone.dataset.since)) / 1000)));
  }
}

localise(document);
tick();
setInterval(tick, 1000);
