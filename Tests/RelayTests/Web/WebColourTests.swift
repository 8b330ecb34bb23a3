import Longwave
import TestSupport
import Testing

/// The colour that a page takes from a picture.
extension WebScenarioTests {
  /// Two colours a picture, half of it each.
  private static let pictures = [
    ["#ffffff", "#ffffff"], ["#000000", "#000000"], ["#808080", "#7f7f80"], ["#ff0000", "#d00000"],
    ["#ffff00", "#ffff00"], ["#00ff00", "#ffffff"], ["#0000ff", "#000000"], ["#ff00ff", "#00ffff"],
    ["#3b2f2f", "#2b1f0f"], ["#fffaf0", "#fdf5e6"], ["#102030", "#708090"], ["#ffa500", "#8b0000"],
  ]

  /// The least contrast of text, of muted text and of the accent against the ground, after the page has taken the colour
  /// of a picture of these colours; as it is without any.
  static func contrasts(in page: WebPage, after colours: [String]) async throws -> [Double] {
    let script = script(folder: try page.assetFolder(), colours: colours)
    let ratios = try await page.evaluate(script).items.compactMap(\.double)
    try #require(ratios.count == 3)
    return ratios
  }

  private static func script(folder: String, colours: [String]) -> String {
    """
    (async () => {
      const { colourAfter } = await import("/\(folder)/colour.js");
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = 64;
      const context = canvas.getContext("2d", {willReadFrequently: true});
      \(JSON.array(colours.map(JSON.string)).text).forEach((colour, index) => {
        context.fillStyle = colour;
        context.fillRect(0, index * 32, 64, 32);
      });
      const image = new Image();
      image.src = canvas.toDataURL();
      \(colours.isEmpty ? "" : "await colourAfter(image);")
      const probe = document.createElement("span");
      document.body.append(probe);
      const ratio = (value) => {
        const luminance = (css) => {
          probe.style.setProperty("transition", "none");
          probe.style.setProperty("color", css);
          context.fillStyle = "#000";
          context.fillStyle = getComputedStyle(probe).color;
          context.fillRect(0, 0, 1, 1);
          const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((byte) =>
            byte / 255 <= 0.03928 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4);
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        return Math.min(...["var(--bg)", "var(--glow)", "var(--surface)"].map((ground) => {
          const [one, other] = [luminance(value), luminance(ground)];
          return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        }));
      };
      const ratios = ["var(--text)", "var(--muted)", "var(--accent)"].map(ratio);
      probe.remove();
      return ratios;
    })()
    """
  }

  @Test(arguments: ["dark", "light"])
  func `text and accent stand out from the ground, whatever the artwork`(theme: String) async throws
  {
    try await Self.withScene { scene in
      let page = try await scene.chrome.page()
      try await page.prefer(["prefers-color-scheme": theme])
      try await page.open(scene.url("/"))
      for colours in Self.pictures {
        let ratios = try await Self.contrasts(in: page, after: colours)
        #expect(ratios[0] >= 4.5 && ratios[1] >= 4.5 && ratios[2] >= 3, "\(colours): \(ratios)")
        #expect(ratios.allSatisfy { $0 < 21.1 })
      }
    }
  }
}

extension WebPage {
  /// `assets/HASH`, as the page itself uses it.
  func assetFolder() throws -> String {
    guard let asset = try requests().map(\.path).first(where: { $0.hasPrefix("/assets/") }) else {
      throw ChromePipe.Failure(description: "the page has no assets")
    }
    return asset.split(separator: "/").prefix(2).joined(separator: "/")
  }
}
