import Longwave
import TestSupport
import Testing

/// The strip of a station's window, as it is painted at several widths and lengths.
extension WebScenarioTests {
  /// Paints titles of four and of seven minutes; returns the texts by whether they stand above the strip or below it.
  private static let strip = """
    const {Timeline} = await import(`/${folder}/timeline.js`);
    const end = 1764460800000 + 11.8 * 3600000, texts = {above: [], below: []};
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
      texts[y < 40 ? "above" : "below"].push([text, Math.round(x), Math.round(x + this.measureText(text).width)]);
    };
    const painted = (hours, width) => {
      const seconds = hours * 3600, titles = [];
      const at = (media) => new Date(end - (seconds - media) * 1000).toISOString();
      for (let media = -60, k = 0; media < seconds; media += [240, 420][k++ % 2]) {
        titles.push({media, position: media, since: at(media), title: `A song of some length, ${k}`, artist: null});
      }
      const edge = (media) => ({media, air: at(media), position: media});
      const timeline = new Timeline({
        station: "jazz", timeZone: {name: "UTC", seconds: 0}, live: edge(seconds), oldest: edge(0),
        anchors: [edge(0)], gaps: [], titles}, performance.now());
      const canvas = document.body.appendChild(document.createElement("canvas"));
      canvas.style.setProperty("display", "block");
      canvas.style.setProperty("height", "96px");
      const live = timeline.live().air, axis = {from: timeline.oldest.air, to: live, width};
      texts.above = [], texts.below = [];
      strips.paint(canvas, axis, {timeline, layers: {waveform: null, replayed: null}, heard: live, live,
        colours: strips.coloursOf(canvas)});
      canvas.remove();
      return {titles: titles.length, ...texts};
    };
    """

  @Test func `names under the strip are shortened, all of them or none`() async throws {
    let found = try await Self.module(
      "strip.js", as: "strips",
      Self.strip + """
        return [0.25, 1, 4, 72].flatMap((hours) => [360, 740, 820, 1120].map((width) => {
          const {titles, below} = painted(hours, width);
          return [hours, width, titles, below.length];
        }));
        """)
    var named: [String] = []
    for row in found.items {
      let figures = row.items.compactMap(\.double)
      try #require(figures.count == 4)
      #expect(figures[3] == 0 || figures[3] >= figures[2] - 1, "\(row.text)")
      if figures[3] > 0 { named.append("\(figures[0]) h at \(Int(figures[1]))") }
    }
    #expect(
      named == [
        "0.25 h at 360", "0.25 h at 740", "0.25 h at 820", "0.25 h at 1120", "1.0 h at 740",
        "1.0 h at 820", "1.0 h at 1120",
      ])
  }

  @Test func `clocks and days above the strip stand apart, each at a line`() async throws {
    let found = try await Self.module(
      "strip.js", as: "strips",
      Self.strip + """
        let lines = 0;
        CanvasRenderingContext2D.prototype.lineTo = () => lines += 1;
        return [0.25, 1, 4, 36, 72].flatMap((hours) => [360, 740, 820, 1120].map((width) => {
          lines = 0;
          const {above} = painted(hours, width);
          const apart = above.every(([, from, to], k) => from >= 0 && to <= width && (k === 0 || from > above[k - 1][2]));
          return {hours, width, lines, labels: above.length, apart};
        }));
        """)
    for row in found.items {
      #expect(row["apart"] == .bool(true), "\(row.text)")
      #expect(row["lines"] == row["labels"] && (row["labels"]?.double ?? 0) >= 1, "\(row.text)")
    }
  }
}
