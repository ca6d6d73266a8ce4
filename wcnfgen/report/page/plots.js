// Plots: plotly.js draws the curves that the data holds, in the colours of the page.

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
let family = 0; // place in report.curves; the first is all
let clock = "log"; // or "linear": the axes of time
const pair = {first: 0, second: 1, measure: "cost"};

function ink(name) { // a colour of the style sheet, as it is now
  const probe = element("span", {style: `color:var(--${name})`});
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

// A solver's colour on this paper: a third lighter on a dark one, as its disc.
function colour(solver) {
  const lighter = channel => dark() ? Math.round(channel + 0.3 * (255 - channel)) : channel;
  return `rgb(${hue(solver).match(/[0-9a-f]{2}/g).map(pair => lighter(parseInt(pair, 16)))})`;
}

// A logarithmic axis with numbers at its decades, or at 1, 2 and 5 of each if there are few.
function logarithmic(low, high) {
  const range = [Math.log10(low), Math.log10(high)];
  const steps = range[1] - range[0] > 3 ? [1] : [1, 2, 5];
  const decades = Array.from({length: Math.ceil(range[1]) - Math.floor(range[0]) + 1}, (_, at) => Math.floor(range[0]) + at);
  const tickvals = decades.flatMap(power => steps.map(step => Number(`${step}e${power}`)));
  return {type: "log", range, tickvals, ticktext: tickvals.map(String)};
}

function layout(title, x, y, more = {}) {
  const axis = {gridcolor: ink("line"), linecolor: ink("rule"), zeroline: false, automargin: true, ticks: "outside", tickcolor: ink("rule"), ticklen: 4, exponentformat: "none"};
  return {
    title: {text: title, x: 0, xref: "container", xanchor: "left", pad: {l: 0}, y: 0.97, yanchor: "top", font: {size: 14, weight: 600}},
    font: {family: FONT, size: 12, color: ink("ink")},
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    margin: {l: 48, r: 12, t: 40, b: 44}, height: 340, showlegend: false, hovermode: "closest",
    hoverlabel: {bgcolor: ink("card"), bordercolor: ink("rule"), font: {family: FONT, color: ink("ink")}, align: "left"},
    xaxis: {...axis, title: {text: x, standoff: 8}, ...more.x},
    yaxis: {...axis, title: {text: y, standoff: 8}, ...more.y},
    shapes: more.shapes ?? [], annotations: more.annotations ?? [],
    modebar: {bgcolor: "rgba(0,0,0,0)", color: ink("rule"), activecolor: ink("accent")},
  };
}

// Buttons are named, as among the usual ones there is one that sends the plot away.
const CONFIG = {
  displaylogo: false, responsive: true, toImageButtonOptions: {format: "svg"},
  modeBarButtons: [["zoom2d", "pan2d", "resetScale2d", "toImage"]], displayModeBar: matchMedia("(max-width: 760px)").matches ? false : "hover",
};

function draw(id, traces, form) {
  return Plotly.react(byId(id), traces, form, CONFIG);
}

// The solvers' lines of one kind: before is what comes before the first point, end where the last goes on to.
function lines(kind, shape, before, end) {
  return report.curves[family][kind].map(([x, y], solver) => ({
    x: x.length ? [before(x, y)[0], ...x, ...(end ? [end] : [])] : [],
    y: x.length ? [before(x, y)[1], ...y, ...(end ? [y.at(-1)] : [])] : [],
    visible: !hidden.has(solver),
    name: report.solvers[solver], mode: "lines", type: "scatter",
    line: {color: colour(solver), dash: dash(solver), shape, width: 1.8},
    hovertemplate: "%{x:.4~g}, %{y:.4~g}<extra>" + plain(report.solvers[solver]) + "</extra>",
  }));
}

// What is said where there is nothing to draw.
const empty = (traces, text) => traces.some(({x}) => x.length) ? [] : [
  {text, showarrow: false, xref: "paper", yref: "paper", x: 0.5, y: 0.5, font: {size: 13, color: ink("muted")}},
];

const firstTime = () => Math.min(0.1, ...["anytime", "cactus"].flatMap(kind => report.curves[family][kind].flatMap(([x]) => x.length ? [x[0]] : []))) || 0.01;

const atFirst = () => [clock === "log" ? firstTime() : 0, 0];
const overTime = () => clock === "log" ? logarithmic(firstTime(), report.limit) : {range: [0, report.limit]};

const drawings = {
  anytime() {
    const traces = lines("anytime", "hv", atFirst, report.limit);
    draw("anytime", traces, layout("Mean anytime score over time", "seconds", "", {
      x: overTime(), y: {range: [0, 1.02]}, annotations: empty(traces, "no model was found"),
    }));
  },
  cactus() {
    const traces = lines("cactus", "hv", atFirst, report.limit);
    draw("cactus", traces, layout("Instances solved over time", "seconds", "", {
      x: overTime(), y: {rangemode: "tozero"}, annotations: empty(traces, "no instance was solved"),
    }));
  },
  gaps() {
    const traces = lines("gaps", "vh", (x, y) => [0, y[0]]);
    const most = Math.max(1.1, ...report.curves[family].gaps.map(([, y]) => y.at(-1) ?? 1));
    const range = most > 10 ? logarithmic(0.95, 1.05 * most) : {range: [1 - 0.02 * most, 1.02 * most]};
    draw("gaps", traces, layout("Gap to the best known cost, sorted", "instances", "(1 + cost) / (1 + best)", {
      x: {rangemode: "tozero"}, y: range, annotations: empty(traces, "no model was found"),
    }));
  },
  shares() {
    const traces = lines("shares", "vh", (x, y) => [0, y[0]]);
    draw("shares", traces, layout("Instances with at least such a score", "anytime score", "share of instances", {
      x: {range: [0, 1.01]}, y: {range: [0, 1.02]}, annotations: empty(traces, "nothing is optimised"),
    }));
  },
  scatter() {
    const [points, edge] = scattered();
    const names = [pair.first, pair.second].map(solver => plain(report.solvers[solver]));
    const unit = pair.measure === "cost" ? "cost" : "seconds to solve";
    const low = points.x.concat(points.y).reduce((a, b) => Math.min(a, b), edge), axis = logarithmic(low / 1.2, edge * 1.2);
    const line = {color: ink("rule"), width: 1}, dotted = {...line, dash: "dot"};
    const straight = (x0, y0, x1, y1, line) => ({type: "line", x0, y0, x1, y1, line});
    const word = {text: pair.measure === "cost" ? "no model" : "unsolved", showarrow: false, font: {size: 11, color: ink("muted")}};
    const border = points.beyond ? {
      shapes: [straight(edge, low, edge, edge, dotted), straight(low, edge, edge, edge, dotted)],
      annotations: [{...word, x: Math.log10(low), y: Math.log10(edge), xanchor: "left", yanchor: "bottom"}, {...word, x: Math.log10(edge), y: Math.log10(low), xanchor: "left", yanchor: "bottom", textangle: -90}],
    } : {shapes: [], annotations: []};
    draw("scatter", [{
      ...points, mode: "markers", type: "scatter", hovertemplate: "%{text}<br>%{customdata}<extra></extra>",
      marker: {size: 6, color: ink("accent"), opacity: 0.55},
    }], layout("One solver against another", `${names[0]}, ${unit}`, `${names[1]}, ${unit}`, {
      x: axis, y: axis, annotations: border.annotations, shapes: [straight(low, low, edge, edge, line), ...border.shapes],
    }));
  },
};

// Of the instances that both ran: points, where what is missing is at the edge, and the edge.
function scattered() {
  const {cells, instances, runsOf} = report, cost = pair.measure === "cost";
  const [xs, ys] = [pair.first, pair.second].map(solver => cells[pair.measure][solver]);
  const ran = place => runsOf[place][pair.first].length && runsOf[place][pair.second].length;
  const chosen = inFamily().filter(place => ran(place) && !(cost && instances.format[place] === "cnf"));
  const known = chosen.flatMap(place => [xs[place], ys[place]]).filter(value => value !== null);
  const added = cost && known.includes(0) ? 1 : 0;
  const [least, most] = known.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, cost ? 1 : report.limit]);
  const edge = (most + added) * Math.max(((most + added) / (Math.min(least, most) + added)) ** 0.1, 1.2);
  const at = values => chosen.map(place => values[place] === null ? edge : values[place] + added);
  return [{
    x: at(xs), y: at(ys),
    text: chosen.map(place => plain(instances.name[place])),
    customdata: chosen.map(place => `${shown(xs[place])} against ${shown(ys[place])}`),
    beyond: known.length < 2 * chosen.length,
  }, edge];
}

function inFamily() {
  const all = report.instances.name.map((_, place) => place);
  return family ? all.filter(place => report.instances.family[place] === report.curves[family].family) : all;
}

const drawLines = () => ["anytime", "cactus", "gaps", "shares"].forEach(each => drawings[each]());
const drawAll = () => Object.values(drawings).forEach(each => each());

function plotControls() {
  const controls = byId("plot-controls");
  [controls, byId("more-controls")].forEach(chips);
  if (report.curves.length > 1) {
    const options = report.curves.map((each, place) => [place, `${each.family || "all"} (${each.number})`]);
    controls.append(choice("family", options, 0, value => { family = Number(value); drawAll(); }));
  }
  controls.append(choice("time", [["log", "logarithmic"], ["linear", "linear"]], clock, value => { clock = value; drawLines(); }));
  const solvers = report.solvers.map((name, place) => [place, name]);
  const redraw = name => value => { pair[name] = name === "measure" ? value : Number(value); drawings.scatter(); };
  pair.second = Math.min(1, solvers.length - 1);
  byId("scatter-controls").append(
    choice("x", solvers, pair.first, redraw("first")),
    choice("y", solvers, pair.second, redraw("second")),
    choice("of", [["cost", "cost"], ["seconds", "seconds to solve"]], "cost", redraw("measure")),
  );
}
