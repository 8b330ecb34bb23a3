// QR codes (ISO/IEC 18004) of our own: bytes, error correction M, versions 1 to 10, which is up to 213 bytes.

/** Of each version at level M: error correction codewords of a block, and the blocks' data codewords. */
const blocks = [
  [10, [16]], [16, [28]], [26, [44]], [18, [32, 32]], [24, [43, 43]], [16, [27, 27, 27, 27]], [18, [31, 31, 31, 31]],
  [22, [38, 38, 39, 39]], [22, [36, 36, 36, 37, 37]], [26, [43, 43, 43, 43, 44]],
];
/** Middles of the alignment patterns. */
const alignments = [
  [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50],
];
/** Mode "bytes". */
const byteMode = 0b0100;
const levelM = 0b00;

/** Powers and logarithms in GF(256) with x⁸ + x⁴ + x³ + x² + 1. */
const power = new Uint8Array(255), logarithm = new Uint8Array(256);
for (let k = 0, value = 1; k < 255; k += 1) {
  power[k] = value;
  logarithm[value] = k;
  value = value << 1 ^ (value & 0x80 ? 0x11d : 0);
}

/** @type {((x: number, y: number) => boolean)[]} */
const masks = [
  (x, y) => (x + y) % 2 === 0, (_, y) => y % 2 === 0, (x) => x % 3 === 0, (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0, (x, y) => x * y % 2 + x * y % 3 === 0,
  (x, y) => (x * y % 2 + x * y % 3) % 2 === 0, (x, y) => ((x + y) % 2 + x * y % 3) % 2 === 0,
];

/**
 * Returns the dark modules by row, without the quiet zone; null where the text is too long.
 * @param {string} text
 * @returns {boolean[][] | null}
 */
export function qrCode(text) {
  const bytes = new TextEncoder().encode(text);
  const version = blocks.findIndex(([, data], index) =>
    bytes.length + (index < 9 ? 2 : 3) <= sum(/** @type {number[]} */ (data))) + 1;
  if (version === 0) return null;
  const plain = new Grid(version);
  plain.fill(codewords(bytes, version));
  /** @type {Grid | null} */
  let best = null;
  let least = Infinity;
  for (let mask = 0; mask < masks.length; mask += 1) {
    const grid = plain.masked(mask);
    const score = penalty(grid.dark);
    if (score < least) [best, least] = [grid, score];
  }
  return best?.dark ?? null;
}

/**
 * Data and error correction as they go into the grid: a codeword of each block in turn.
 * @param {Uint8Array} bytes
 * @param {number} version
 */
function codewords(bytes, version) {
  const [check, lengths] = /** @type {[number, number[]]} */ (blocks[version - 1]);
  /** @type {number[]} */
  const bits = [];
  const put = (/** @type {number} */ value, /** @type {number} */ count) => {
    for (let bit = count - 1; bit >= 0; bit -= 1) bits.push(value >> bit & 1);
  };
  put(byteMode, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) put(byte, 8);
  const room = sum(lengths) * 8;
  put(0, Math.min(4, room - bits.length));
  put(0, -bits.length & 7);
  for (let pad = 0xec; bits.length < room; pad ^= 0xec ^ 0x11) put(pad, 8);
  const data = Array.from({ length: room / 8 }, (_, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((value, bit) => value << 1 | bit, 0));
  let begin = 0;
  const parts = lengths.map((length) => data.slice(begin, begin += length));
  const divisor = generator(check);
  return [...interleaved(parts), ...interleaved(parts.map((part) => remainder(part, divisor)))];
}

/** @param {number[][]} parts */
function interleaved(parts) {
  const longest = Math.max(...parts.map((part) => part.length));
  return Array.from({ length: longest }, (_, index) => parts.filter((part) => index < part.length)
    .map((part) => part[index])).reduce((all, some) => all.concat(some), []);
}

/** @type {(one: number, other: number) => number} */
const product = (one, other) => one && other ? power[(logarithm[one] + logarithm[other]) % 255] : 0;

/**
 * Returns (x − 1)(x − 2)(x − 4)… without its leading 1, highest power first.
 * @param {number} degree
 */
function generator(degree) {
  const result = new Array(degree).fill(0);
  result[degree - 1] = 1;
  for (let k = 0; k < degree; k += 1) {
    for (let index = 0; index < degree; index += 1) {
      result[index] = product(result[index], power[k]) ^ (result[index + 1] ?? 0);
    }
  }
  return result;
}

/** @type {(data: number[], divisor: number[]) => number[]} */
function remainder(data, divisor) {
  const result = new Array(divisor.length).fill(0);
  for (const byte of data) {
    const factor = byte ^ /** @type {number} */ (result.shift());
    result.push(0);
    divisor.forEach((value, index) => result[index] ^= product(value, factor));
  }
  return result;
}

class Grid {
  /** @type {boolean[][]} */
  dark;
  /**
   * What is no data: patterns, format, version.
   * @type {boolean[][]}
   */
  #fixed;
  #size;
  #version;

  /** @param {number} version */
  constructor(version) {
    this.#version = version;
    this.#size = version * 4 + 17;
    const rows = () => Array.from({ length: this.#size }, () => new Array(this.#size).fill(false));
    this.dark = rows();
    this.#fixed = rows();
    this.#patterns();
  }

  /** @type {(x: number, y: number, isDark: boolean) => void} */
  #set(x, y, isDark) {
    if (x < 0 || y < 0 || x >= this.#size || y >= this.#size) return;
    this.dark[y][x] = isDark;
    this.#fixed[y][x] = true;
  }

  #patterns() {
    const last = this.#size - 7;
    for (let k = 0; k < this.#size; k += 1) {
      this.#set(6, k, k % 2 === 0);
      this.#set(k, 6, k % 2 === 0);
    }
    for (const [x, y] of [[0, 0], [last, 0], [0, last]]) this.#rings(x + 3, y + 3, 4);
    const middles = alignments[this.#version - 1], end = middles.length - 1;
    middles.forEach((y, row) => middles.forEach((x, column) => {
      const isCorner = (row === 0 && (column === 0 || column === end)) || (row === end && column === 0);
      if (!isCorner) this.#rings(x, y, 2);
    }));
    this.#format(0);
    if (this.#version >= 7) this.#tellVersion();
  }

  /**
   * Rings around a middle: a finder with its white rim (4), or an alignment pattern (2).
   * @type {(x: number, y: number, reach: number) => void}
   */
  #rings(x, y, reach) {
    for (let down = -reach; down <= reach; down += 1) {
      for (let right = -reach; right <= reach; right += 1) {
        const ring = Math.max(Math.abs(down), Math.abs(right));
        this.#set(x + right, y + down, reach === 4 ? ring !== 2 && ring !== 4 : ring !== 1);
      }
    }
  }

  /** @param {number} mask */
  #format(mask) {
    const value = levelM << 3 | mask;
    const bits = (value << 10 | rest(value, 10, 0x537)) ^ 0x5412;
    const bit = (/** @type {number} */ k) => (bits >> k & 1) === 1;
    for (let k = 0; k < 15; k += 1) {
      // Once around the upper left finder, past the timing patterns; once along the two others.
      if (k < 8) this.#set(8, k < 6 ? k : k + 1, bit(k));
      else this.#set(k === 8 ? 7 : 14 - k, 8, bit(k));
      if (k < 8) this.#set(this.#size - 1 - k, 8, bit(k));
      else this.#set(8, this.#size - 15 + k, bit(k));
    }
    this.#set(8, this.#size - 8, true);
  }

  #tellVersion() {
    const bits = this.#version << 12 | rest(this.#version, 12, 0x1f25);
    for (let k = 0; k < 18; k += 1) {
      const far = this.#size - 11 + k % 3, near = Math.floor(k / 3);
      this.#set(far, near, (bits >> k & 1) === 1);
      this.#set(near, far, (bits >> k & 1) === 1);
    }
  }

  /**
   * Two columns at a time from the right, up and down in turn, around what is fixed.
   * @param {number[]} words
   */
  fill(words) {
    let k = 0;
    for (let right = this.#size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      for (let step = 0; step < this.#size; step += 1) {
        const y = (right + 1 & 2) === 0 ? this.#size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (this.#fixed[y][x]) continue;
          this.dark[y][x] = ((words[k >> 3] ?? 0) >> (7 - (k & 7)) & 1) === 1;
          k += 1;
        }
      }
    }
  }

  /** @param {number} mask */
  masked(mask) {
    const result = new Grid(this.#version);
    result.#format(mask);
    this.dark.forEach((row, y) => row.forEach((isDark, x) => {
      if (!this.#fixed[y][x]) result.dark[y][x] = isDark !== masks[mask](x, y);
    }));
    return result;
  }
}

/**
 * Returns the remainder of a BCH code.
 * @type {(value: number, degree: number, divisor: number) => number}
 */
function rest(value, degree, divisor) {
  for (let k = 0; k < degree; k += 1) value = value << 1 ^ (value >> (degree - 1)) * divisor;
  return value;
}

/**
 * Returns how hard a code is to read: long runs, blocks, what looks like a finder, too much of one colour.
 * @param {boolean[][]} dark
 */
function penalty(dark) {
  const size = dark.length;
  const columns = dark.map((_, x) => dark.map((row) => row[x]));
  let score = 0, count = 0;
  for (const line of [...dark, ...columns]) {
    const text = line.map(Number).join("");
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) score += run.length - 2;
    for (const finder of ["10111010000", "00001011101"]) {
      for (let at = text.indexOf(finder); at >= 0; at = text.indexOf(finder, at + 1)) score += 40;
    }
  }
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      count += Number(dark[y][x]);
      const isBlock = x > 0 && y > 0 && dark[y][x] === dark[y - 1][x] && dark[y][x] === dark[y][x - 1]
        && dark[y][x] === dark[y - 1][x - 1];
      if (isBlock) score += 3;
    }
  }
  return score + Math.floor(Math.abs(count * 20 - size * size * 10) / (size * size)) * 10;
}

/** @param {number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
