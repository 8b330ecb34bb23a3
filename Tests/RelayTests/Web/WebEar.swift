import Longwave
import TestSupport

/// Hears what the page's `<audio>` plays, by a copy of its sound, and notes what the page shows meanwhile.
struct WebEar {
  /// One moment, as the page had it.
  struct Moment {
    /// Milliseconds of the page's clock.
    var at: Double
    /// The place in the minute that is heard; nil for silence and the beginning of a round.
    var place: Double?
    /// `currentTime` of the element.
    var current: Double
    /// What `#place`, `#title` and the slider say.
    var shown: String
    var title: String
    var slider: String
  }

  let page: WebPage

  /// Begins to listen; the page has to be loaded.
  init(_ page: WebPage) async throws {
    self.page = page
    try await page.evaluate(Self.script, asUser: true)
  }

  /// The copied sound goes to an analyser alone. A place is the pitch between the first and the last crossing of zero,
  /// counted on to the end of what has been heard.
  private static let script = """
    (() => {
      const audio = document.querySelector("audio");
      const context = new AudioContext();
      const analyser = context.createAnalyser();
      analyser.fftSize = 2048;
      const samples = new Float32Array(analyser.fftSize);
      const joined = new Set();
      const stream = audio.captureStream();
      const join = () => {
        for (const track of stream.getAudioTracks()) {
          if (joined.has(track.id)) continue;
          joined.add(track.id);
          context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
        }
      };
      stream.addEventListener("addtrack", join);
      const place = () => {
        analyser.getFloatTimeDomainData(samples);
        const crossings = [];
        let loudest = 0;
        for (let i = 1; i < samples.length; i++) {
          const [before, after] = [samples[i - 1], samples[i]];
          loudest = Math.max(loudest, Math.abs(after));
          if (before < 0 && after >= 0) crossings.push(i - 1 + before / (before - after));
        }
        if (loudest < 0.05 || crossings.length < 12) return null;
        const periods = crossings.length - 1;
        const [first, last] = [crossings[0], crossings[periods]];
        const middle = crossings[periods >> 1];
        const halves = [(middle - first) / (periods >> 1), (last - middle) / (periods - (periods >> 1))];
        // A jump, or the beginning of a round, in the middle of it; no sound of long ago.
        if (Math.abs(halves[0] / halves[1] - 1) > 0.02 || last < samples.length - 400) return null;
        const pitch = periods / (last - first) * context.sampleRate;
        const rest = (samples.length - (first + last) / 2) / context.sampleRate;
        return (pitch - \(PitchStation.lowest)) / \(PitchStation.climb) + rest;
      };
      const text = (selector) => document.querySelector(selector)?.textContent.trim() ?? "";
      const moments = [];
      setInterval(() => {
        join();
        const slider = document.querySelector("[role=slider]")?.getAttribute("aria-valuetext") ?? "";
        moments.push([performance.now(), place(), audio.currentTime, text("#place"), text("#title"), slider]);
        if (moments.length > 6000) moments.shift();
      }, 40);
      globalThis.ear = {
        place,
        since: (at) => moments.filter((moment) => moment[0] >= at),
        last: () => moments.slice(-3),
      };
    })()
    """

  /// The moments since a time of the page's clock.
  func moments(since at: Double = 0) async throws -> [Moment] {
    try await page.evaluate("ear.since(\(at))").items.compactMap(Self.moment)
  }

  /// The page's clock in milliseconds.
  func now() async throws -> Double {
    try await page.evaluate("performance.now()").double ?? 0
  }

  /// The place that is heard, once three moments in a row agree that it is sound and goes on.
  func place(within seconds: Double = 60) async throws -> Moment {
    var seen: [Moment] = []
    do {
      return try await eventually("sound", within: seconds) {
        seen = try await page.evaluate("ear.last()").items.compactMap(Self.moment)
        guard seen.count == 3, let first = seen[0].place, let last = seen[2].place else {
          return nil
        }
        let passed = (seen[2].at - seen[0].at) / 1000
        let heard = PitchStation.distance(last, from: first)
        return abs(heard - passed) < 0.2 ? seen[2] : nil
      }
    } catch let late as TimeIsUp {
      let state = try await page.evaluate(
        "(a => [a.src, a.paused, a.currentTime, a.readyState, a.error?.message])"
          + "(document.querySelector('audio'))")
      throw TimeIsUp(
        description: "\(late.description); last \(seen); the element: \(state.text); "
          + "\(try page.errors())")
    }
  }

  private static func moment(_ json: JSON) -> Moment? {
    let items = json.items
    guard items.count == 6, let at = items[0].double, let current = items[2].double else {
      return nil
    }
    return Moment(
      at: at, place: items[1].double, current: current, shown: items[3].string ?? "",
      title: items[4].string ?? "", slider: items[5].string ?? "")
  }
}
