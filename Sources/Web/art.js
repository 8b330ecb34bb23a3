// The picture of what is heard, and with it the page's colour. Loads after the player: it is not needed to hear.

import { addressed } from "./api.js";
import { makePicture, tendPicture } from "./colour.js";
import { el } from "./dom.js";

/**
 * @param {import("./app.js").App} app
 * @param {HTMLElement} frame
 * @returns {import("./app.js").Part}
 */
export function startArt(app, frame) {
  const { id, name } = app.station;
  const path = `/api/v1/stations/${id}/artwork`;
  const hasOwn = frame.querySelector("img") !== null;
  let shown = hasOwn ? path : "";
  tendPicture(frame, id, name, true);

  /** @param {string} address */
  async function show(address) {
    shown = address;
    if (!address) return void makePicture(frame, id, name);
    const image = el("img", { src: addressed(address), alt: "", width: 320, height: 320 });
    try {
      await image.decode();
    } catch {
      if (shown === address) makePicture(frame, id, name);
      return;
    }
    if (shown !== address) return;
    frame.replaceChildren(image);
    tendPicture(frame, id, name, true);
  }

  return {
    update() {
      if (app.preview !== null || app.timeline.isEmpty) return;
      const title = app.title();
      const address = title?.artwork ? `${path}?position=${title.position}` : hasOwn ? path : "";
      if (address !== shown) show(address);
    },
  };
}
