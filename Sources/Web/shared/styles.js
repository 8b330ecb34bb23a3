// Styles of parts that are not in a page's first picture, and so not in its style sheet.

/**
 * Adds rules to the page, for good. A module calls it once, when it loads.
 * @param {string} rules
 */
export function addStyles(rules) {
  // Older browsers show the part without them.
  if (!("adoptedStyleSheets" in document)) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
