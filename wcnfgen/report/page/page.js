// What the parts share: the data, the elements of a page, and numbers as people read them.
// Names are strangers': they become text nodes, or go through `plain` where a library wants markup.

const byId = id => document.getElementById(id);

async function unpacked(id) {
  const bytes = Uint8Array.from(atob(byId(id).textContent), char => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

// A script of the page, as an address: `import` it, or give it to a script element.
const address = async id => URL.createObjectURL(new Blob([await unpacked(id)], {type: "text/javascript"}));

function element(name, properties = {}, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made && key !== "list") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...inside.filter(each => each !== null && each !== undefined));
  return made;
}

const plain = text => String(text).replace(/[&<>"']/g, char => `&#${char.charCodeAt(0)};`);

// A column is a list, or texts and places in them.
const column = packed => Array.isArray(packed) ? packed : packed.at.map(place => packed.texts[place]);

function columns(packed) {
  return Object.fromEntries(Object.entries(packed).map(([name, each]) => [name, column(each)]));
}

let report; // {solvers, instances, runs, cells, curves, limit, trees, runsOf}

function understood(text) {
  const found = JSON.parse(text);
  found.instances = columns(found.instances);
  found.runs = columns(found.runs);
  found.runsOf = found.instances.name.map(() => found.solvers.map(() => []));
  found.runs.instance.forEach((place, run) => found.runsOf[place][found.runs.solver[run]].push(run));
  return found;
}

const run = place => Object.fromEntries(Object.entries(report.runs).map(([name, values]) => [name, values[place]]));

const trace = text => text ? text.split(" ").map(pair => pair.split(":").map(Number)) : [];

// A number with so many digits; as many as it has, up to three, if that is not said.
function shown(value, digits) {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value !== "number") return String(value);
  return digits === undefined ? String(Number(value.toFixed(3))) : value.toFixed(digits);
}

const seconds = value => value === null ? "–" : value.toFixed(value >= 100 ? 0 : value >= 1 ? 2 : 3);

// Each solver has a colour and, where they run out, another dash.
const DASHES = ["solid", "dash", "dot", "dashdot"];
const hue = solver => report.colours[solver % report.colours.length];
const dash = solver => DASHES[Math.floor(solver / report.colours.length) % DASHES.length];

// A disc, or a ring where the colour is taken.
function dotted(disc, solver) {
  disc.style.setProperty("--hue", hue(solver));
  disc.classList.toggle("ring", dash(solver) !== DASHES[0]);
  return disc;
}

const dot = solver => dotted(element("i", {className: "dot"}), solver);

const dark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

const hidden = new Set(); // solvers that are switched off
const listeners = [];
const changed = () => listeners.forEach(each => each());

function chips(target) {
  target.append(element("span", {className: "chips"}, ...report.solvers.map((name, solver) => {
    const chip = element("button", {type: "button", className: "chip", "aria-pressed": !hidden.has(solver)}, dot(solver), name);
    chip.onclick = () => {
      hidden.has(solver) ? hidden.delete(solver) : hidden.add(solver);
      changed();
    };
    listeners.push(() => chip.setAttribute("aria-pressed", !hidden.has(solver)));
    return chip;
  })));
}

function choice(label, options, chosen, act) {
  const select = element("select", {}, ...options.map(([value, text]) => element("option", {value}, text)));
  select.value = chosen;
  select.onchange = () => act(select.value);
  return element("label", {}, element("span", {}, label), select);
}
