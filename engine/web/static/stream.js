// Server-sent events of a page: given back while nobody sees it, opened again whatever closed it, until the end is told.
import { localise } from "./times.js";

export function fragment(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  localise(template.content);
  return template.content;
}

export function follow(address, told) {
  let stream = null;

  function open() {
    if (stream || document.hidden) return;
    stream = new EventSource(address());
    for (const [kind, tell] of Object.entries(told)) {
      stream.addEventListener(kind, (event) => tell(JSON.parse(event.data), Number(event.lastEventId)));
    }
    stream.addEventListener("end", () => {
      close();
      location.reload();
    });
    // The browser comes back by itself after a lost connection, but not after an answer that is no stream.
    stream.addEventListener("error", () => {
      if (stream?.readyState !== EventSource.CLOSED) return;
      close();
      setTimeout(again, 2000);
    });
  }

  async function again() {
    const answer = await fetch(location.href, { method: "HEAD" }).catch(() => null);
    if (answer?.redirected) location.reload();
    else open();
  }

  function close() {
    stream?.close();
    stream = null;
  }

  // A browser keeps only a few connections to one server.
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  open();
}
