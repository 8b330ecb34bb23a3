// Plays and saves the files of a recording. Each is fetched with the token in a header: an address never has it.

import { span, t } from "../i18n.js";
import { ask, button, h, size, words } from "./parts.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./client.js").Recording} Recording */
/** @typedef {import("./client.js").RecordingPart} Part */

/** Most bytes of a file that this page holds: 8 hours at 128 kbit/s, and what a phone can still keep. */
export const bytesMax = 500_000_000;

/** The file that is being fetched, or was. */
export class Fetched {
  #abort = new AbortController();
  address = "";

  /**
   * @param {App} app
   * @param {string} path
   * @param {(bytes: number) => void} came
   */
  async load(app, path, came) {
    const answer = await app.client.file(path, this.#abort.signal);
    const kind = answer.headers.get("Content-Type") ?? "";
    /** @type {Blob[]} */
    const parts = [];
    let bytes = 0;
    const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      bytes += part.value.length;
      if (bytes > bytesMax) {
        this.#abort.abort();
        throw new Error(t("admin.files.tooLong", { size: size(bytesMax) }));
      }
      // A browser may put blobs on its disk; bytes it keeps in memory.
      parts.push(new Blob([part.value]));
      came(bytes);
    }
    this.address = URL.createObjectURL(new Blob(parts, { type: kind }));
  }

  end() {
    this.#abort.abort();
    if (this.address) URL.revokeObjectURL(this.address);
    this.address = "";
  }
}

/**
 * Shows the files of a recording, to play and to save them.
 * @param {App} app
 * @param {Recording} recording
 */
export async function files(app, recording) {
  let fetched = new Fetched();
  const audio = h("audio", { controls: true, hidden: true });
  const said = h("p", { class: "quiet", role: "status" });
  const now = recording.current ? [{ ...recording.current, title: null, isRunning: true }] : [];
  const all = /** @type {(Part & { isRunning?: boolean })[]} */ ([...recording.files, ...now]);

  /**
   * Fetches a file; false where another one was asked for in the meantime.
   * @param {Part} part
   */
  async function have(part) {
    fetched.end();
    audio.hidden = true;
    audio.removeAttribute("src");
    const mine = (fetched = new Fetched());
    const about = { name: part.name, all: size(part.bytes ?? 0) };
    const say = (/** @type {number} */ bytes) => {
      if (mine === fetched) said.textContent = t("admin.files.coming", { ...about, size: size(bytes) });
    };
    say(0);
    try {
      await mine.load(app, `recordings/${recording.id}/file?part=${part.part}`, say);
    } catch (fault) {
      if (mine === fetched) said.textContent = words(fault);
      return false;
    }
    said.textContent = part.name;
    return mine === fetched;
  }

  /** @param {Part} part */
  async function play(part) {
    if (!await have(part)) return;
    audio.src = fetched.address;
    audio.hidden = false;
    audio.setAttribute("aria-label", part.name);
    audio.play().catch(() => {});
  }

  /** @param {Part} part */
  async function save(part) {
    if (await have(part)) h("a", { href: fetched.address, download: part.name }).click();
  }

  /** @param {Part & { isRunning?: boolean }} part */
  function row(part) {
    const isTooLong = (part.bytes ?? 0) > bytesMax;
    const more = [part.title, part.seconds !== undefined && span(part.seconds),
      part.bytes !== undefined && size(part.bytes), part.isRunning && t("admin.record.recording")];
    const acts = isTooLong ? [h("small", {}, t("admin.files.tooLong", { size: size(bytesMax) }))] : [
      button(t("admin.files.play", { name: part.name }), () => play(part), { icon: "play" }),
      button(t("admin.files.save", { name: part.name }), () => save(part), { icon: "download" })];
    const about = h("small", {}, more.filter(Boolean).join(" · "));
    return h("li", {}, h("span", { class: "name" }, part.name, about), ...acts);
  }

  const rows = all.map(row);
  const list = rows.length ? h("ol", { class: "files" }, ...rows) : h("p", {}, t("admin.files.none"));
  await ask({
    title: t("admin.files.title", { id: String(recording.id), station: recording.station }), isWide: true,
    isReading: true, action: t("admin.close"), body: [list, said, audio], act: () => {},
  });
  audio.pause();
  fetched.end();
}
