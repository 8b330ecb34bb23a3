// What some browsers have and TypeScript 4.8 does not know.

interface Navigator {
  /** Safari alone: "true" when the page stands on the home screen. */
  readonly standalone?: boolean;
}
