// The table of instances and that of runs: DataTables sorts, filters and pages them.

const MEASURES = {
  score: ["anytime score", "num", place => solver => report.cells.score[solver][place]],
  cost: ["cost", "num", place => solver => report.cells.cost[solver][place]],
  above: ["cost above the best", "num", place => solver => above(place, report.cells.cost[solver][place])],
  solved: ["seconds to solve", "num", place => solver => report.cells.seconds[solver][place]],
  wall: ["wall seconds", "num", place => solver => mean(report.runsOf[place][solver].map(each => report.runs.wall_s[each]))],
  memory: ["peak MiB", "num", place => solver => mean(report.runsOf[place][solver].map(each => report.runs.peak_mib[each]))],
  size: ["nodes of the tree", "num", place => solver => mean(report.runsOf[place][solver].map(each => report.runs.size[each]))],
  ended: ["how it ended", "text", place => solver => [...new Set(report.runsOf[place][solver].map(each => report.runs.ended[each]))].join(", ")],
};
const DIGITS = {score: 3, solved: 2, wall: 2, memory: 0}; // others: as they are
const view = {kind: "instances", measure: "score", family: "", weights: ""};

const above = (place, cost) => cost === null || report.instances.best[place] === null ? null : cost - report.instances.best[place];

function mean(values) {
  const known = values.filter(each => each !== null);
  return known.length ? known.reduce((a, b) => a + b) / known.length : null;
}

const weights = place => report.instances.format[place] === "cnf" ? "CNF" : report.instances.weighted[place] ? "weighted" : "unweighted";

// Numbers with what is missing last, whatever the direction.
function numberType(DataTable) {
  const order = sign => (a, b) => (a === null) - (b === null) || sign * (a - b);
  DataTable.type("known", {order: {asc: order(1), desc: order(-1)}, className: "number"});
}

const field = (title, value, type = "text", more = {}) => ({
  title, type: type === "num" ? "known" : "string", ...more,
  className: type === "num" ? "number" : more.className ?? "",
  data: (row, kind) => value(row),
  render: (found, kind) => kind === "display" ? (more.show ?? plain)(found) : kind === "filter" && found === null ? "" : found,
  columnControl: [{extend: "dropdown", icon: "search", text: plain(`filter by ${title}`), content: [type === "num" ? "searchNumber" : "searchText", "searchClear"]}],
});

const numeric = (title, value, digits, more = {}) => field(title, value, "num", {show: found => plain(shown(found, digits)), ...more});

const link = place => `<a href="#instance=${place}">${plain(report.instances.name[place])}</a>`;

function instanceColumns() {
  const {instances} = report, [, type, of] = MEASURES[view.measure];
  return [
    {...field("instance", row => instances.name[row]), className: "name", render: (found, kind, row) => kind === "display" ? link(row) : found},
    field("family", row => instances.family[row]),
    field("weights", row => weights(row)),
    numeric("variables", row => instances.variables[row]),
    numeric("soft", row => instances.soft[row]),
    numeric("best", row => instances.best[row]),
    ...report.solvers.map((name, solver) => solverColumn(name, solver, type, of)),
  ];
}

function solverColumn(name, solver, type, of) {
  const value = row => of(row)(solver);
  const made = type === "num" ? numeric(name, value, DIGITS[view.measure]) : field(name, value);
  return {...made, className: `${made.className} solver`, createdCell: (cell, _, row) => mark(cell, row, solver)};
}

function mark(cell, row, solver) {
  const runs = report.runsOf[row][solver], best = report.instances.best[row];
  if (runs.some(each => report.runs.findings[each].length)) cell.classList.add("bad");
  if (best !== null && report.cells.cost[solver][row] === best) cell.classList.add("best");
  if (!runs.length) cell.classList.add("none");
}

function runColumns() {
  const {runs, instances, solvers} = report;
  return [
    {...field("instance", row => instances.name[runs.instance[row]]), className: "name", render: (found, kind, row) => kind === "display" ? `<a href="#run=${runs.key[row]}">${plain(found)}</a>` : found},
    field("solver", row => solvers[runs.solver[row]]),
    ...(runs.seed.some(each => each !== null) ? [numeric("seed", row => runs.seed[row])] : []),
    field("ended", row => runs.ended[row]),
    field("says", row => runs.status[row].toLowerCase()),
    numeric("claimed", row => runs.claimed[row]),
    numeric("cost", row => runs.cost[row]),
    numeric("score", row => runs.score[row], 3),
    numeric("model at [s]", row => runs.model_s[row], 2),
    numeric("wall [s]", row => runs.wall_s[row], 2),
    numeric("CPU [s]", row => runs.cpu_s[row], 2),
    numeric("MiB", row => runs.peak_mib[row], 0),
    numeric("nodes", row => runs.size[row]),
    numeric("findings", row => runs.findings[row].length),
  ];
}

// Whether a row is of the chosen family, weights and solvers.
function fits(row) {
  const ofRun = view.kind === "runs", place = ofRun ? report.runs.instance[row] : row;
  return (!view.family || report.instances.family[place] === view.family)
    && (!view.weights || weights(place) === view.weights)
    && !(ofRun && hidden.has(report.runs.solver[row]));
}

let Tables; // the library
let shownTable;

function drawTable() {
  const search = shownTable?.search() ?? "", ofRuns = view.kind === "runs";
  shownTable?.destroy();
  const columns = ofRuns ? runColumns() : instanceColumns();
  const heads = columns.map(({title}) => element("th", {scope: "col"}, title));
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)));
  byId("table").replaceChildren(table);
  shownTable = new Tables(table, {
    data: Array.from({length: (ofRuns ? report.runs.instance : report.instances.name).length}, (_, row) => row),
    columns: columns.map(({title, ...each}) => each),
    deferRender: true, autoWidth: false, pageLength: 50, lengthMenu: [25, 50, 100, 500],
    ordering: {indicators: true, handler: true},
    layout: {topStart: null, topEnd: null, bottomStart: "info", bottomEnd: ["pageLength", "paging"]},
    search: {search}, language: {emptyTable: "no runs", zeroRecords: "nothing fits these filters", info: "_START_ to _END_ of _TOTAL_", infoFiltered: "(of _MAX_)", lengthMenu: "_MENU_ a page"},
    initComplete() { this.api().search.fixed("chosen", (_, row) => fits(row)); },
  });
  filterTable();
}

// Rows and columns of what is chosen, in the table as it is.
function filterTable() {
  if (view.kind === "instances") {
    const first = shownTable.columns().count() - report.solvers.length;
    report.solvers.forEach((_, solver) => shownTable.column(first + solver).visible(!hidden.has(solver), false));
  }
  shownTable.draw();
}

// A click on a row opens its instance or run, one on a solver's cell its run, or those with all seeds.
function follow(event) {
  const cell = event.target.closest("td");
  if (!cell || event.target.closest("a") || getSelection().toString()) return;
  const row = shownTable.row(cell).data(), column = shownTable.column(cell).index();
  if (row === undefined) return;
  const solver = column - (shownTable.columns().count() - report.solvers.length);
  const runs = view.kind === "runs" ? [row] : report.runsOf[row][solver] ?? [];
  location.hash = runs.length === 1 ? `run=${report.runs.key[runs[0]]}` : `instance=${row}${runs.length ? `&solver=${solver}` : ""}`;
}
