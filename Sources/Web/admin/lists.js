// Lists that come into a collection: chosen in a form, sent, and what came of it.

import { t } from "../i18n.js";
import { part } from "./client.js";
import { field, h, value, words } from "./parts.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {{ added: number, missing: { line: number, text: string, reason: string }[] }} Report */

/** Kinds of lists that a browser offers to choose. */
const kinds = ".m3u,.m3u8,.pls,.xspf,.cue,.txt";
/** The most bytes of a list that are sent at once; the relay takes 64 KiB. */
const bytesMax = 48 << 10;
const [newline, hash] = [10, 35];

/**
 * What came of imports, by collection, until it is read.
 * @type {Map<string, Report>}
 */
export const reports = new Map();

/** @param {boolean} required */
export const fileInput = required => h("input", { type: "file", name: "file", accept: kinds, required });

/** @param {HTMLInputElement} file */
export const importFields = file => [
  field(t("music.import.file"), file, t("music.import.fileHint")),
  field(t("music.import.base"), h("input", { name: "base", autocomplete: "off", spellcheck: "false" }),
    t("music.import.baseHint")),
];

/**
 * Cuts an m3u list behind entries, each of which stays with the lines of comments before it.
 * @param {Uint8Array} bytes
 * @param {number} [most] bytes of a piece; a longer entry is whole all the same
 * @returns {{ bytes: Uint8Array, before: number }[]} With the number of lines before it.
 */
export function pieces(bytes, most = bytesMax) {
  const found = [];
  // Where the piece begins, its last entry ends and the line begins; and how many lines are before the last two.
  let [begin, cut, from, before, beforeCut, lines] = [0, 0, 0, 0, 0, 0];
  while (from < bytes.length) {
    const newlineAt = bytes.indexOf(newline, from);
    const end = newlineAt < 0 ? bytes.length : newlineAt + 1;
    lines++;
    if (bytes[from] !== hash) {
      if (end - begin > most && cut > begin) {
        found.push({ bytes: bytes.subarray(begin, cut), before });
        [begin, before] = [cut, beforeCut];
      }
      [cut, beforeCut] = [end, lines];
    }
    from = end;
  }
  if (begin < bytes.length) found.push({ bytes: bytes.subarray(begin), before });
  return found;
}

/**
 * Sends a form's list, and keeps what came of it.
 * @param {App} app
 * @param {string} collection
 * @param {HTMLFormElement} form
 */
export async function importInto(app, collection, form) {
  const file = new FormData(form).get("file"), base = value(form, "base");
  if (!(file instanceof File)) return;
  const path = `collections/${part(collection)}/import?name=${part(file.name)}${base && `&base=${part(base)}`}`;
  const bytes = new Uint8Array(await file.arrayBuffer());
  // Lists of other kinds have a head or an end, and are sent whole.
  const isCut = /\.(m3u8?|txt)$/i.test(file.name);
  /** @type {Report} */
  const all = { added: 0, missing: [] };
  for (const piece of isCut ? pieces(bytes) : [{ bytes, before: 0 }]) {
    try {
      const told = /** @type {Report} */ (await app.client.post(path, new Blob([piece.bytes])));
      all.added += told.added;
      all.missing.push(...told.missing.map(one => ({ ...one, line: one.line && one.line + piece.before })));
    } catch (fault) {
      // What was added before stays, and is not to be added twice.
      if (piece.before === 0) throw fault;
      all.missing.push({ line: piece.before + 1, text: "…", reason: words(fault) });
      break;
    }
  }
  reports.set(collection, all);
}
