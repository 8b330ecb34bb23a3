// The picture of what is heard, and with it the page's colour. Loads after the player: it is not needed to hear.

import { addressed } from "./api.js";
import { colourAfter, colourOf, makePicture, showPicture, tendPicture } from "./colour.js";

/**
 * @param {import("./app.js").App} app
 * @param {HTMLElement} frame
 * @returns {import("./app.js").Part}
 */
export function startArt(app, frame) {
  const { id, name } = app.station;
  const path = `/api/v1/stations/${id}/artwork`;
  const hasOwn = frame.querySelector("img") !== null;
  let wanted = hasOwn ? path : "";
  /** Whose picture it is. */
  let owner = id;
  if (!hasOwn) colourOf(id);
  tendPicture(frame, id, name, shown(wanted));

  /** @param {string} address */
  function shown(address) {
    return (/** @type {HTMLImageElement} */ image) => {
      if (address !== wanted) return;
      app.pictures.add(address);
      void colourAfter(image);
    };
  }

  return {
    update() {
      const title = app.title(), other = app.standIn?.id ? app.standIn : null;
      // A station that was never on air has no timeline, and may have a stand-in.
      if (app.preview !== null || app.timeline.isEmpty && !other) return;
      const own = title?.artwork && !app.standIn ? `${path}?position=${title.position}` : hasOwn ? path : "";
      const address = other ? other.picture : own, next = other?.id ?? id;
      if (address === wanted && next === owner) return;
      [wanted, owner] = [address, next];
      const called = other?.name ?? name;
      if (address) void showPicture(frame, next, called, addressed(address), { shown: shown(address) });
      else makePicture(frame, next, called);
    },
  };
}
