// The panel: an instance, its runs, and all that is kept of one of them, or of a solver's with all seeds.  The
// address names what is open.

function opened() {
  const [, kind, value, solver] = location.hash.match(/^#(instance|run)=([^&]+)(?:&solver=(\d+))?$/) ?? [];
  if (kind === "instance") return open(Number(value), report.runsOf[value]?.[solver] ?? []);
  const place = kind === "run" ? report.runs.key.indexOf(value) : -1;
  if (place >= 0) return open(report.runs.instance[place], [place]);
  byId("panel").close();
}

function open(instance, chosen) {
  const panel = byId("panel"), {instances} = report;
  if (instances.name[instance] === undefined) return;
  const runs = report.runsOf[instance].flat();
  const best = runs.find(each => report.runs.cost[each] === instances.best[instance]) ?? runs[0];
  const looked = chosen.length || best === undefined ? chosen : [best]; // at
  panel.replaceChildren(
    element("header", {}, element("h2", {tabIndex: -1}, instances.name[instance]), closer()),
    element("p", {className: "sub"}, described(instance)),
    element("div", {id: "panel-trace"}),
    runList(runs, looked),
    ...looked.flatMap(runSection),
    ...treeSection(instance),
  );
  if (!panel.open) panel.showModal();
  panel.querySelector("h2").focus();
  panel.scrollTop = 0;
  drawTraces(runs, looked);
}

function closer() {
  const button = element("button", {type: "button", "aria-label": "close"}, "×");
  button.onclick = dismiss;
  return button;
}

const unnamed = () => history.replaceState(null, "", location.pathname + location.search);

function dismiss() {
  unnamed();
  byId("panel").close();
}

// Beside the panel is its backdrop, which is a part of it.
function dismissable() {
  const panel = byId("panel");
  panel.addEventListener("cancel", unnamed);
  panel.addEventListener("click", event => {
    if (event.target === panel && event.clientX < panel.getBoundingClientRect().left) dismiss();
  });
}

function described(place) {
  const {instances} = report, weight = {CNF: "no objective", weighted: "weighted", unweighted: "unweighted"}[weights(place)];
  return [
    instances.family[place], instances.encoding[place], instances.data[place], instances.parameters[place], weight,
    `${instances.variables[place]} variables`, `${instances.hard[place]} hard and ${instances.soft[place]} soft clauses`,
    instances.best[place] === null ? "" : `best cost known ${instances.best[place]}`,
    instances.least_cost[place] === null ? "" : `proved bound ${instances.least_cost[place]}`,
    `SHA-256 ${instances.sha256[place]}…`,
  ].filter(Boolean).join(" · ");
}

function runList(runs, looked) {
  const heads = ["solver", "seed", "ended", "cost", "score", "wall"];
  const seeds = runs.some(each => report.runs.seed[each] !== null);
  const kept = values => values.filter((_, at) => seeds || at !== 1);
  const body = runs.map(each => {
    const {solver, seed, ended, cost, score, wall_s, findings, key} = run(each);
    const link = element("a", {href: `#run=${key}`}, dot(solver), report.solvers[solver]);
    const cells = [link, shown(seed), ended + (findings.length ? " !" : ""), shown(cost), shown(score, 3), `${seconds(wall_s)} s`];
    return element("tr", {className: looked.includes(each) ? "chosen" : ""}, ...kept(cells.map((cell, at) => element(at ? "td" : "th", {className: heads[at] === "ended" ? "words" : ""}, cell))));
  });
  return element("div", {className: "wide"}, element("table", {className: "runs"},
    element("thead", {}, element("tr", {}, ...kept(heads.map(each => element("th", {className: each === "ended" ? "words" : ""}, each))))),
    element("tbody", {}, ...body)));
}

function runSection(place) {
  const one = run(place);
  const list = [
    ["ended", one.ended], ["says", [one.status || "nothing", one.claimed === null ? "" : `cost ${one.claimed}`, one.bound === null ? "" : `bound ${one.bound}`].filter(Boolean).join(", ")],
    ["recomputed", verified(one)],
    ["model", one.model_s === null ? "none" : `whole after ${seconds(one.model_s)} s${one.late ? ", in the grace after the limit" : ""}`],
    ["used", `${seconds(one.wall_s)} s wall, ${seconds(one.cpu_s)} s CPU, ${one.peak_mib.toFixed(0)} MiB` + (one.threads === null ? "" : `, ${many(one.threads, "thread")}`) + ` on ${many(one.cores, "core")}`],
    ["limits", one.limits], ["version", one.version || "unknown"],
    ["command", one.command ? element("code", {}, one.command) : "not kept: the run's folder is not there"],
    ["machine", one.machine || "not kept"], ["driver", one.driver],
    ["run", element("code", {}, `runs/${one.key.slice(0, 2)}/${one.key}…`)],
  ];
  return [
    element("h3", {}, dot(one.solver), report.solvers[one.solver] + (one.seed === null ? "" : `, seed ${one.seed}`)),
    ...(one.findings.length ? [element("ul", {className: "wrong"}, ...one.findings.map(each => element("li", {}, each)))] : []),
    element("dl", {className: "run"}, ...list.filter(([, value]) => value).flatMap(([what, value]) => [element("dt", {}, what), element("dd", {}, value)])),
    ...(one.notes.length ? [element("ul", {className: "notes"}, ...one.notes.map(each => element("li", {}, each)))] : []),
  ];
}

const many = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

function verified(one) {
  if (one.cost === null) return "no model that satisfies the hard clauses";
  const tree = one.size === null ? "" : `a tree of ${one.size} nodes and depth ${one.depth}`;
  const rows = one.right === null ? "" : `${one.right} of ${one.rows} rows right`;
  return [`cost ${one.cost}`, tree, rows].filter(Boolean).join(", ");
}

function treeSection(instance) {
  const tree = report.trees[instance];
  if (!tree) return [];
  const svg = new DOMParser().parseFromString(tree.svg, "image/svg+xml").documentElement;
  return [element("h3", {}, `Best tree: ${report.solvers[tree.solver]}, cost ${tree.cost}`), element("div", {className: "tree"}, document.importNode(svg, true))];
}

function drawTraces(runs, looked) {
  const drawn = runs.map(each => ({each, points: trace(report.runs.trace[each]), solver: report.runs.solver[each]})).filter(({points}) => points.length);
  const box = byId("panel-trace");
  if (!drawn.length) return box.replaceChildren(element("p", {className: "empty"}, "No solver found a model."));
  const traces = drawn.map(({each, points, solver}) => ({
    x: [...points.map(([at]) => at), Math.max(report.runs.wall_s[each], points.at(-1)[0])], y: [...points.map(([, cost]) => cost), points.at(-1)[1]],
    mode: "lines+markers", type: "scatter", name: plain(report.solvers[solver]), opacity: looked.includes(each) ? 1 : 0.55,
    line: {shape: "hv", color: colour(solver), dash: dash(solver), width: looked.includes(each) ? 2.5 : 1.5}, marker: {size: looked.includes(each) ? 6 : 4},
    hovertemplate: "%{x:.4~g} s: %{y}<extra>" + plain(report.solvers[solver]) + "</extra>",
  }));
  const [first, last] = [Math.min, Math.max].map(of => of(...traces.flatMap(({x}) => x)));
  draw("panel-trace", traces, {...layout("Cost over time", "seconds", "", {x: logarithmic(Math.max(first, 0.001) / 1.1, last * 1.1)}), height: 260});
}
