// Where recordings stand in a week: on which days, at which height, and beside which others. Only values, no elements.

/**
 * A recording, or one to come.
 * @typedef {object} Entry
 * @property {string} key
 * @property {"planned" | "recording" | "finished" | "failed"} state
 * @property {string} station
 * @property {string} name What its file is called.
 * @property {string} rule Its times in the zone of its station, where that is another one.
 * @property {number} start Unix seconds
 * @property {number} end Unix seconds
 * @property {boolean} isOpen Whether nobody has said when it ends.
 * @property {import("./client.js").Recording | null} recording
 */
/** @typedef {{ start: number, end: number }} Day Unix seconds */
/**
 * What of an entry lies on a day; minutes are those of a clock there, and lanes stand side by side.
 * @typedef {{ entry: Entry, from: number, to: number, lane: number, lanes: number, isHidden: boolean }} Bar
 */
/** @typedef {{ at: number, count: number }} Rest Bars that found no room, from a minute on. */

export const dayMinutes = 1440;
/** The least height of a bar: a line of text, which a finger hits. */
export const leastMinutes = 60;
/** Bars side by side that can be read; the last lane tells how many there are besides. */
export const lanesMax = 3;

/**
 * Returns the bars of a day in order of time, and what found no room.
 * @param {Entry[]} entries
 * @param {Day} day
 * @param {(moment: number) => number} clock Returns what minute of the day a clock shows.
 * @returns {{ bars: Bar[], rest: Rest[] }}
 */
export function placed(entries, day, clock) {
  const bars = entries.filter(({ start, end }) => start < day.end && Math.max(end, start + 1) > day.start)
    .map(entry => bar(entry, day, clock)).sort((a, b) => a.from - b.from || b.to - a.to);
  /** @type {Rest[]} */
  const rest = [];
  /** @type {Bar[]} */
  let group = [];
  let groupEnd = -1;
  for (const bar of bars) {
    if (bar.from >= groupEnd) {
      close(group, rest);
      group = [];
    }
    group.push(bar);
    groupEnd = Math.max(groupEnd, bar.to);
  }
  close(group, rest);
  return { bars, rest };
}

/**
 * @param {Entry} entry
 * @param {Day} day
 * @param {(moment: number) => number} clock
 * @returns {Bar}
 */
function bar(entry, day, clock) {
  const from = entry.start <= day.start ? 0 : Math.min(clock(entry.start), dayMinutes - leastMinutes);
  // Where clocks are put back, an end may stand above its beginning.
  const to = entry.end >= day.end ? dayMinutes : clock(entry.end);
  return { entry, from, to: Math.max(to, from + leastMinutes), lane: 0, lanes: 1, isHidden: false };
}

/**
 * Gives bars that overlap, one after the other, their lanes.
 * @param {Bar[]} group
 * @param {Rest[]} rest
 */
function close(group, rest) {
  /** @type {number[]} Where each lane is free again. */
  const ends = [];
  for (const bar of group) {
    const free = ends.findIndex(end => end <= bar.from);
    bar.lane = free < 0 ? ends.length : free;
    ends[bar.lane] = bar.to;
  }
  const isCrowded = ends.length > lanesMax;
  for (const bar of group) {
    bar.lanes = Math.min(ends.length, lanesMax);
    bar.isHidden = isCrowded && bar.lane >= lanesMax - 1;
  }
  const hidden = group.filter(({ isHidden }) => isHidden);
  if (hidden.length) rest.push({ at: hidden[0].from, count: hidden.length });
}
