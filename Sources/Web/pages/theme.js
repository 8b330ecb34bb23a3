// The kept choice of dark or light, before anything is painted: pages load this without waiting for their modules.

(() => {
  const root = document.documentElement;
  const wish = new URLSearchParams(location.search).get("theme");
  const systems = matchMedia("(prefers-color-scheme: light)");
  let theme = wish;
  try {
    theme = wish ?? localStorage.getItem("theme");
  } catch {
    // Storage may be forbidden: the system decides.
  }
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;

  // A style sheet cannot give a narrow or low window what a long list has.
  const narrow = matchMedia("(max-width: 599px), (max-height: 480px)");
  const shape = () => root.classList.toggle("narrow", narrow.matches);
  narrow.addEventListener("change", shape);
  shape();

  /** @type {HTMLMetaElement | null} */
  const bars = document.querySelector('meta[name="theme-color"]'), dark = bars?.content ?? "";

  /** Browsers colour their own bars as the page is. */
  function colourBars() {
    const isLight = root.dataset.theme ? root.dataset.theme === "light" : systems.matches;
    if (bars) bars.content = (isLight ? bars.dataset.light : dark) ?? dark;
  }

  colourBars();
  systems.addEventListener("change", colourBars);
  document.addEventListener("look", colourBars);
})();
