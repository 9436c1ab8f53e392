// Summit draws the results of the member search in the browser.
"use strict";

const form = document.querySelector("[data-find]");
const found = document.querySelector("[data-found]");

const element = (tag, attributes, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

const said = (kind, text) => element("div", { class: `sx-msg sx-${kind}`, role: kind }, text);

const row = (columns, member) => {
  const cells = columns.map(({ key, header }) => {
    const content = key === "number" ? element("a", { href: `/members/${member.number}` }, member.number) : member[key];
    return element("span", { role: "cell", "data-k": key, "data-h": header }, content);
  });
  return element("div", { role: "row" }, ...cells);
};

const grid = ({ columns, rows }) => {
  const headers = columns.map(({ key, header }) => element("span", { role: "columnheader", "data-k": key }, header));
  const head = element("div", { role: "rowgroup", class: "sx-head" }, element("div", { role: "row" }, ...headers));
  const body = element("div", { role: "rowgroup" }, ...rows.map((member) => row(columns, member)));
  return element("div", { class: "sx-grid", role: "table", "aria-label": found.dataset.caption }, head, body);
};

const pager = ({ page, pages }) => {
  const turn = (label, number) => {
    const button = element("button", { type: "button" }, label);
    button.addEventListener("click", () => go(number));
    return button;
  };
  const parts = [element("span", {}, `${page} / ${pages}`)];
  if (page > 1) parts.unshift(turn(found.dataset.previous, page - 1));
  if (page < pages) parts.push(turn(found.dataset.next, page + 1));
  return element("div", { class: "sx-pager", role: "navigation", "aria-label": "Pages" }, ...parts);
};

const show = (answer) => {
  if (!answer.total) return found.replaceChildren(said("status", found.dataset.none));
  const many = found.dataset.many.replace("{}", answer.total);
  const count = element("p", { class: "quiet" }, answer.total === 1 ? found.dataset.one : many);
  found.replaceChildren(count, grid(answer), ...(answer.pages > 1 ? [pager(answer)] : []));
};

const load = async () => {
  const asked = new URLSearchParams(location.search);
  if (!asked.get("member_number") && !asked.get("last_name")) {
    return found.replaceChildren(...(asked.has("member_number") ? [said("alert", found.dataset.empty)] : []));
  }
  found.setAttribute("aria-busy", "true");
  const answer = await fetch(`/api/members?${asked}`);
  found.removeAttribute("aria-busy");
  if (answer.status === 401) return location.assign(`/login?${new URLSearchParams({ reason: "expired", next: location.pathname + location.search })}`);
  show(await answer.json());
};

const go = (page) => {
  const asked = new URLSearchParams(new FormData(form));
  if (page > 1) asked.set("page", page);
  history.pushState(null, "", `/search?${asked}`);
  load();
};

if (form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go(1);
  });
  addEventListener("popstate", load);
  load();
}
