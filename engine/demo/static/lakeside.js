// Lakeside's own elements; the server sends their open shadow roots, here they only get their names.
"use strict";

for (const name of ["tc-login", "tc-member-search", "tc-accounts", "tc-transfer", "tc-notice"]) {
  customElements.define(name, class extends HTMLElement {});
}
