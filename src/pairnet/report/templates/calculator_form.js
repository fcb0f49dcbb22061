// The form of a calculator: what it holds goes through the program, and sentences come out.
for (const part of document.querySelectorAll(".calculator")) {
  const { program, about } = JSON.parse(part.querySelector("script").textContent);
  const answer = pairnetGraph(program), form = part.querySelector("form");
  const entries = [...form.querySelectorAll("[data-input]")];
  const sayIn = (name) => part.querySelector(`[data-say="${name}"]`);
  const DAY = 86400000, words = about.words;

  const number = (entry) => {
    if (entry.type === "date") return entry.value ? Date.parse(entry.value + "T00:00Z") / DAY : NaN;
    return entry.value.trim() === "" ? NaN : Number(entry.value);
  };
  const shown = (value, digits = 3) => {
    if (!Number.isFinite(value)) return "–";
    if (value === 0) return "0";
    const places = digits - 1 - Math.floor(Math.log10(Math.abs(value)));
    const places_shown = Math.min(Math.max(places, 0), 8);
    const text = value.toLocaleString("en-US", { minimumFractionDigits: places_shown, maximumFractionDigits: places_shown });
    return text.replace("-", "−");
  };
  const signed = (value) => (value > 0 ? "+" : "") + shown(value);
  // The share of the rows of the fit that are nearer to the middle of their group.
  const shareBelow = (value, quantiles) => quantiles.filter((end) => end < value).length / quantiles.length;
  const labelOf = (entry) => (entry.selectedOptions ? entry.selectedOptions[0].textContent : entry.value);
  const chosen = (name) => entries.find((entry) => entry.dataset.input === about.compared[name]);
  const groupOf = (entry) => {
    const { groups, cuts } = about.evidence;
    if (!cuts) return groups.find((group) => group.value === entry.value);
    return groups[cuts.filter((cut) => cut < number(entry)).length];
  };

  const outside = () => entries.filter((entry) => {
    if (!entry.dataset.low) return false;
    const [low, high] = [entry.dataset.low, entry.dataset.high].map((text) => (entry.type === "date" ? Date.parse(text + "T00:00Z") / DAY : Number(text)));
    const value = number(entry);
    return value < low || value > high;
  });
  const evidence = (result) => {
    const end = (entry, text) => (entry.type === "date" ? text : shown(Number(text), 4));
    const doubts = outside().map((entry) => {
      const name = entry.closest("label").firstElementChild.textContent.trim();
      return `${name} lies outside the rows of the fit, ${end(entry, entry.dataset.low)} to ${end(entry, entry.dataset.high)}.`;
    });
    const groups = [...new Set(["T0", "T1"].map((name) => groupOf(chosen(name))))];
    const { near, far } = about.evidence;
    const share = (group) => shareBelow(result[group.output].data[0], group.quantiles);
    const received = (some) => some.map((group) => group.label).join(" or ");
    const none = groups.filter((group) => share(group) > far);
    const few = groups.filter((group) => share(group) > near && share(group) <= far);
    if (none.length) doubts.push(`Hardly anybody like this received ${received(none)}: the answer is extrapolated.`);
    if (few.length) doubts.push(`Few people like this received ${received(few)}: the answer rests on little.`);
    const flag = none.length || outside().length ? "extrapolated" : few.length ? "rests on little" : "";
    if (doubts.length) return [doubts.join(" "), flag];
    const people = groups.map((group) => `the ${group.rows} people who received ${group.label}`);
    return [`Such a person is not unusual among ${people.join(" and ")}.`, ""];
  };

  const draw = (effect, low, high) => {
    const [from, to] = about.axis;
    const at = (value) => 8 + 284 * Math.min(1, Math.max(0, (value - from) / (to - from)));
    const [, zero, whisker] = part.querySelectorAll("svg line"), point = part.querySelector("circle");
    const set = (element, values) => { for (const name in values) element.setAttribute(name, values[name]); };
    set(zero, { x1: at(0), x2: at(0) });
    set(whisker, { x1: at(low), x2: at(high) });
    set(point, { cx: at(effect) });
  };

  const update = () => {
    const inputs = {};
    for (const name of program.inputs) {
      const entry = entries.find((one) => one.dataset.input === name);
      inputs[name] = [about.text.includes(name) ? entry.value : number(entry)];
    }
    const result = answer(inputs), scale = about.scale;
    const read = (name, column = 0) => scale * Number(result[about.outputs[name]].data[column]);
    const effect = read("effect"), has = about.outputs.lower !== undefined;
    const [low, high] = has ? [read("lower"), read("upper")] : [effect, effect];
    const [before, after] = ["T0", "T1"].map((name) => labelOf(chosen(name)));
    sayIn("comparison").textContent = `${words.treatment}: ${after} instead of ${before} changes ${words.outcome} by`;
    sayIn("effect").textContent = Number.isFinite(effect) ? signed(effect) + words.difference : "–";
    sayIn("interval").textContent = has ? `(${about.level} interval ${shown(low)} to ${shown(high)})` : "";
    const levels = ["T0", "T1"].map((name) => (about.arms
      ? read("outcome", about.arms.indexOf(chosen(name).value)) : read(`outcome_${name}`)));
    sayIn("outcomes").textContent = `${words.level}: ${shown(levels[0])} under ${before}, ${shown(levels[1])} under ${after}.`;
    const [text, flag] = evidence(result);
    sayIn("evidence").textContent = text;
    sayIn("evidence").classList.toggle("doubt", flag !== "");
    sayIn("flag").textContent = flag;
    part.querySelector("svg").style.display = Number.isFinite(effect) ? "" : "none";
    if (Number.isFinite(effect)) draw(effect, low, high);
  };

  form.addEventListener("input", (event) => {
    const both = event.target.closest(".both");
    if (both) for (const other of both.querySelectorAll("input")) if (other !== event.target && event.target.value !== "") other.value = event.target.value;
    update();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  part.querySelector("button").addEventListener("click", () => { form.reset(); update(); });
  part.hidden = false;
  update();
}
