// What every tenant's pages can do: dismiss the notice, ask before a transfer, change density, choose a branch.
"use strict";

const rootsOf = (node) => {
  const inner = [...node.querySelectorAll("*")].filter((each) => each.shadowRoot).map((each) => each.shadowRoot);
  return [node, ...inner.flatMap(rootsOf)];
};

const dismissNotice = (root) => {
  for (const button of root.querySelectorAll("[data-dismiss]")) {
    button.addEventListener("click", () => {
      document.cookie = "tc_notice=seen; path=/; samesite=lax";
      document.querySelector("[data-notice]").remove();
    });
  }
};

const askBeforeTransfer = (root) => {
  for (const form of root.querySelectorAll("[data-transfer]")) {
    form.addEventListener("submit", (event) => {
      const { from_account: from, to_account: to, amount } = form.elements;
      const dollars = Number(amount.value.replace(/[$,\s]/g, ""));
      // What cannot be a transfer is left to the server, which says what is wrong.
      if (!(dollars > 0) || !from.value || !to.value) return;
      const money = dollars.toLocaleString("en-US", { style: "currency", currency: "USD" });
      const title = (select) => select.selectedOptions[0].textContent.split(",")[0].trim();
      if (!confirm(`Transfer ${money} from ${title(from)} to ${title(to)}?`)) event.preventDefault();
    });
  }
};

const changeDensity = (root) => {
  for (const button of root.querySelectorAll("[data-compact]")) {
    button.addEventListener("click", () => document.body.classList.toggle("compact"));
  }
};

const chooseBranch = (root) => {
  for (const pick of root.querySelectorAll("[data-pick]")) {
    const [shown, list] = pick.children;
    shown.addEventListener("click", () => { list.hidden = !list.hidden; });
    list.addEventListener("click", (event) => {
      shown.textContent = event.target.textContent;
      list.hidden = true;
    });
  }
};

for (const root of rootsOf(document)) {
  for (const wire of [dismissNotice, askBeforeTransfer, changeDensity, chooseBranch]) wire(root);
}
