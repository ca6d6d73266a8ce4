// Unpack, then draw from the top of the page down.

const root = document.documentElement;

function themed(next) {
  root.style.colorScheme = next;
  root.dataset.theme = next;
  try { localStorage.setItem("wcnfgen-theme", next); } catch { /* a file may have no storage */ }
  if (window.Plotly) drawAll();
}

function themeButton() {
  byId("theme").onclick = () => themed(dark() ? "light" : "dark");
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  let before = null;
  try { before = localStorage.getItem("wcnfgen-theme"); } catch { /* none */ }
  if (before) themed(before);
}

// Paper is white, and plots have the colours that they were drawn in.
function printed() {
  let before;
  const draw = theme => { root.dataset.theme = theme; if (!theme) delete root.dataset.theme; root.style.colorScheme = theme; drawAll(); };
  addEventListener("beforeprint", () => { before = root.dataset.theme ?? ""; if (dark()) draw("light"); });
  addEventListener("afterprint", () => { if ((root.dataset.theme ?? "") !== before) draw(before); });
}

function filters() {
  const {instances} = report, distinct = values => [...new Set(values)].sort();
  const set = (name, draw) => value => { view[name] = value; draw(); };
  const any = values => [["", "all"], ...values.map(each => [each, each])];
  const search = element("input", {type: "search", placeholder: "search", id: "search"});
  search.oninput = () => shownTable.search(search.value).draw();
  const measures = Object.entries(MEASURES).map(([name, [title]]) => [name, title]);
  const families = distinct(instances.family), classes = distinct(instances.name.map((_, place) => weights(place)));
  byId("filters").append(search,
    choice("rows", [["instances", "instances"], ["runs", "runs"]], view.kind, value => { view.kind = value; measure.hidden = value === "runs"; drawTable(); }),
    ...(families.length > 1 ? [choice("family", any(families), "", set("family", filterTable))] : []),
    ...(classes.length > 1 ? [choice("weights", any(classes), "", set("weights", filterTable))] : []),
  );
  const measure = choice("show", measures, view.measure, set("measure", drawTable));
  measure.id = "measure";
  byId("filters").append(measure);
  chips(byId("filters"));
}

async function start() {
  report = understood(await unpacked("data"));
  document.querySelectorAll("i.dot[data-solver]").forEach(each => dotted(each, Number(each.dataset.solver)));
  await import(await address("plotly"));
  themeButton();
  printed();
  plotControls();
  drawAll();
  Tables = (await import(await address("datatables"))).default;
  numberType(Tables);
  filters();
  drawTable();
  listeners.push(filterTable, () => requestAnimationFrame(drawLines));
  byId("table").addEventListener("click", follow);
  addEventListener("hashchange", opened);
  dismissable();
  opened();
  root.dataset.ready = "";
}

start().catch(error => {
  byId("plot-controls").textContent = `Plots and the table of instances need a newer browser (${error.message}).`;
  throw error;
});
