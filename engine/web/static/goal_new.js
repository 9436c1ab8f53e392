// How many planned cells the call limit covers, while the form is being filled.
const form = document.querySelector("form.card");
const covers = document.querySelector("#covers");
const number = (name) => Number(form.elements[name].value) || 0;

function tell() {
  const cells = number("branch_count") * (number("refine_count") + 1) * number("max_rounds");
  const covered = Math.min(cells, number("max_agent_calls"));
  covers.textContent = covers.dataset.text.replace("{cells}", cells).replace("{covered}", covered);
}

if (form && covers) {
  form.addEventListener("input", tell);
  tell();
}
