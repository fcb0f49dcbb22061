"use strict";
// Computes a graph of ONNX's operations on arrays {shape, data}; see report/in_page.py.
const pairnetGraph = (() => {
  const KINDS = { f: Float32Array, d: Float64Array, h: Uint16Array };
  const unpacked = (packed) => {
    if (typeof packed !== "string") return packed;
    const text = atob(packed.slice(1));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    return new KINDS[packed[0]](bytes.buffer);
  };
  const unpackedAll = (options) => Object.fromEntries(Object.entries(options).map(([key, value]) => [key, unpacked(value)]));
  const product = (sizes) => sizes.reduce((total, size) => total * size, 1);
  const stepsOf = (shape) => {
    const steps = new Array(shape.length);
    for (let axis = shape.length - 1, step = 1; axis >= 0; axis--) { steps[axis] = step; step *= shape[axis]; }
    return steps;
  };
  const together = (shapes) => {
    const longest = Math.max(...shapes.map((shape) => shape.length));
    return Array.from({ length: longest }, (_, at) => {
      const sizes = shapes.map((shape) => shape[shape.length - longest + at] ?? 1);
      return sizes.find((size) => size !== 1) ?? 1;
    });
  };
  // For each element of an array of this shape, the place of the element of a smaller one.
  const places = (value, shape) => {
    const count = product(shape), steps = stepsOf(shape), own = stepsOf(value.shape);
    const skip = shape.length - value.shape.length;
    const found = new Uint32Array(count);
    for (let axis = skip; axis < shape.length; axis++) {
      if (value.shape[axis - skip] === 1) continue;
      const step = steps[axis], size = shape[axis], mine = own[axis - skip];
      for (let at = 0; at < count; at++) found[at] += (Math.floor(at / step) % size) * mine;
    }
    return found;
  };
  const same = (a, b) => a.length === b.length && a.every((size, at) => size === b[at]);
  const each = (values, apply) => {
    const shape = together(values.map((value) => value.shape));
    const count = product(shape), data = new Array(count);
    const at = values.map((value) => same(value.shape, shape) ? null : places(value, shape));
    const items = new Array(values.length);
    for (let element = 0; element < count; element++) {
      for (let k = 0; k < values.length; k++) items[k] = values[k].data[at[k] ? at[k][element] : element];
      data[element] = apply(...items);
    }
    return { shape, data };
  };
  const half = (x) => { const low = Math.floor(x), rest = x - low; return rest < 0.5 || (rest === 0.5 && low % 2 === 0) ? low : low + 1; };
  const EACH = {
    Abs: Math.abs, Add: (a, b) => a + b, And: (a, b) => a && b, Ceil: Math.ceil, Cos: Math.cos,
    Div: (a, b) => a / b, Equal: (a, b) => a === b, Exp: Math.exp, Floor: Math.floor,
    Greater: (a, b) => a > b, GreaterOrEqual: (a, b) => a >= b, IsNaN: Number.isNaN,
    Less: (a, b) => a < b, LessOrEqual: (a, b) => a <= b, Log: Math.log, Max: Math.max, Min: Math.min,
    Mul: (a, b) => a * b, Neg: (a) => -a, Not: (a) => !a, Or: (a, b) => a || b, Pow: Math.pow,
    Round: half, Sigmoid: (a) => 1 / (1 + Math.exp(-a)), Sign: Math.sign, Sin: Math.sin,
    Sqrt: Math.sqrt, Sub: (a, b) => a - b, Tanh: Math.tanh, Where: (flag, yes, no) => (flag ? yes : no),
  };
  const CASTS = {
    float32: Math.fround, float64: Number, int64: Math.trunc, bool: Boolean,
  };
  const REDUCE = {
    ReduceSum: [0, (a, b) => a + b], ReduceMean: [0, (a, b) => a + b],
    ReduceMax: [-Infinity, Math.max], ReduceMin: [Infinity, Math.min],
  };
  const taken = (value, shape, placeOf) => {
    const count = product(shape), data = new Array(count);
    for (let at = 0; at < count; at++) data[at] = value.data[placeOf(at)];
    return { shape, data };
  };
  const reduced = (name, [value, axes], options) => {
    const [start, apply] = REDUCE[name], gone = new Set(axes.data);
    const kept = value.shape.map((size, axis) => (gone.has(axis) ? 1 : size));
    const data = new Array(product(kept)).fill(start), steps = stepsOf(value.shape), own = stepsOf(kept);
    for (let at = 0; at < value.data.length; at++) {
      let place = 0;
      for (let axis = 0; axis < kept.length; axis++) {
        if (kept[axis] > 1) place += (Math.floor(at / steps[axis]) % value.shape[axis]) * own[axis];
      }
      data[place] = apply(data[place], value.data[at]);
    }
    const share = value.data.length / data.length;
    const shape = options.keepdims ? kept : value.shape.filter((_, axis) => !gone.has(axis));
    return { shape, data: name === "ReduceMean" ? data.map((total) => total / share) : data };
  };
  const matmul = ([a, b]) => {
    const [n, k] = a.shape.slice(-2), m = b.shape[b.shape.length - 1];
    const before = together([a.shape.slice(0, -2), b.shape.slice(0, -2)]);
    const lines = (value) => places({ shape: value.shape.slice(0, -2), data: [] }, before);
    const left = lines(a), right = lines(b), data = new Array(product(before) * n * m).fill(0);
    for (let block = 0; block < left.length; block++) {
      const from = left[block] * n * k, other = right[block] * k * m, to = block * n * m;
      for (let i = 0; i < n; i++) for (let l = 0; l < k; l++) {
        const factor = a.data[from + i * k + l];
        if (factor !== 0) for (let j = 0; j < m; j++) data[to + i * m + j] += factor * b.data[other + l * m + j];
      }
    }
    return { shape: [...before, n, m], data };
  };
  const joined = (values, { axis }) => {
    const shape = [...values[0].shape];
    shape[axis] = values.reduce((total, value) => total + value.shape[axis], 0);
    const outer = product(shape.slice(0, axis)), data = [];
    for (let block = 0; block < outer; block++) for (const value of values) {
      const size = value.data.length / outer;
      for (let at = 0; at < size; at++) data.push(value.data[block * size + at]);
    }
    return { shape, data };
  };
  const transposed = ([value], { perm }) => {
    const shape = perm.map((axis) => value.shape[axis]), steps = stepsOf(shape), own = stepsOf(value.shape);
    return taken(value, shape, (at) => perm.reduce((place, axis, k) => place + (Math.floor(at / steps[k]) % shape[k]) * own[axis], 0));
  };
  const sliced = ([value, begin, end, axes, step]) => {
    const first = value.shape.map(() => 0), stride = value.shape.map(() => 1), shape = [...value.shape];
    axes.data.forEach((axis, k) => {
      first[axis] = begin.data[k]; stride[axis] = step.data[k];
      shape[axis] = Math.ceil((Math.min(end.data[k], value.shape[axis]) - begin.data[k]) / step.data[k]);
    });
    const steps = stepsOf(shape), own = stepsOf(value.shape);
    return taken(value, shape, (at) => shape.reduce(
      (place, size, axis) => place + (first[axis] + (Math.floor(at / steps[axis]) % size) * stride[axis]) * own[axis], 0));
  };
  const reshaped = ([value, wanted]) => {
    const shape = Array.from(wanted.data), open = shape.indexOf(-1);
    if (open >= 0) shape[open] = -value.data.length / product(shape);
    return { shape, data: value.data };
  };
  const grown = ([value], trees) => {
    const [rows, width] = value.shape, data = new Array(rows).fill(0);
    for (let row = 0; row < rows; row++) for (const root of trees.roots) {
      let node = root;
      while (trees.column[node] !== 65535) {
        node = value.data[row * width + trees.column[node]] <= trees.value[node] ? trees.yes[node] : trees.no[node];
      }
      data[row] += trees.value[node];
    }
    return { shape: [rows, 1], data };
  };
  const spread = ([value, wanted]) => {
    const shape = together([value.shape, Array.from(wanted.data)]), at = places(value, shape);
    return taken(value, shape, (element) => at[element]);
  };
  const OWN = {
    Cast: ([value], { to }) => ({ shape: value.shape, data: Array.from(value.data, CASTS[to]) }),
    Concat: joined, Expand: spread, MatMul: matmul, Reshape: reshaped, Slice: sliced, Transpose: transposed,
    Shape: ([value]) => ({ shape: [value.shape.length], data: value.shape }),
    LabelEncoder: ([value], options) => {
      const known = new Map(options.keys_strings.map((text, at) => [text, options.values_int64s[at]]));
      return { shape: value.shape, data: Array.from(value.data, (text) => known.get(text) ?? options.default_int64) };
    },
    RegexFullMatch: ([value]) => ({ shape: value.shape, data: Array.from(value.data, (text) => text.trim() === "") }),
    TreeEnsembleRegressor: grown,
  };
  return (program) => {
    const constants = program.constants.map(({ shape, data }) => ({ shape, data: unpacked(data) }));
    const nodes = program.nodes.map(([name, inputs, options]) => [
      name, inputs, name === "TreeEnsembleRegressor" ? unpackedAll(options) : options]);
    // inputs: by name, a list with a value a row. Returns outputs by name.
    return (inputs) => {
      const values = program.inputs.map((name) => ({ shape: [inputs[name].length], data: inputs[name] }));
      values.push(...constants);
      for (const [name, from, options] of nodes) {
        const given = from.map((at) => values[at]);
        if (EACH[name]) values.push(each(given, EACH[name]));
        else if (REDUCE[name]) values.push(reduced(name, given, options));
        else values.push(OWN[name](given, options));
      }
      return Object.fromEntries(Object.entries(program.outputs).map(([name, at]) => [name, values[at]]));
    };
  };
})();
