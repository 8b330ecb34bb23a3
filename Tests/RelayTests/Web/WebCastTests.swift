import Longwave
import TestSupport
import Testing

/// Devices that play in the browser's place; their interfaces are the test's, since a headless browser finds none.
extension WebScenarioTests {
  private static let cast = "document.querySelector('#actions .cast')"

  /// The Remote Playback API with one device, which `device` steers.
  private static let remotePlayback = """
    class Remote extends EventTarget {
      state = "disconnected";
      prompts = 0;
      async watchAvailability(tell) {
        this.tell = tell;
        return 1;
      }
      async cancelWatchAvailability() {}
      async prompt() {
        this.prompts += 1;
        if (this.isRefused) throw new DOMException("none", "NotFoundError");
      }
      go(state, event) {
        this.state = state;
        this.dispatchEvent(new Event(event));
      }
    }
    globalThis.device = new Remote();
    Object.defineProperty(HTMLMediaElement.prototype, "remote", {get: () => device});
    """

  @Test func `a device that the browser finds can be cast to, and each jump stays there`()
    async throws
  {
    try await Self.withScene { scene in
      let page = try await scene.chrome.page()
      try await page.beforeEachPage(Self.remotePlayback)
      try await page.open(scene.url("/listen/jazz"))
      #expect(try await page.evaluate("\(Self.cast) === null") == .bool(true))
      try await page.play()
      try await page.until("that it looks for devices", "device.tell")
      #expect(try await page.evaluate("\(Self.cast).hidden") == .bool(true))
      try await page.evaluate("device.tell(true)")
      try await page.until("a button", "\(Self.cast).hidden === false")
      let before = try page.streams(of: "jazz").count
      try await page.click("#actions .cast")
      try await page.until("a choice", "device.prompts === 1")
      try await page.evaluate("device.go('connecting', 'connecting')")
      try await page.until("its word", "\(Self.cast).textContent === 'Connecting'")
      try await page.evaluate("device.go('connected', 'connect')")
      try await page.until("its word", "\(Self.cast).textContent === 'On another device'")
      try await page.until(
        "words about it",
        "document.querySelector('#status').textContent.includes('another device')")
      // The device begins at what is heard.
      try await page.until(
        "an address of its own",
        "new URL(document.querySelector('audio').src).searchParams.get('seek') !== 'live'")
      #expect(try page.streams(of: "jazz").count == before + 1)

      try await page.click(WebPage.Control.back)
      try await eventually("a jump") { try page.streams(of: "jazz").count == before + 2 }
      #expect(try await page.evaluate("device.state") == "connected")
      #expect(try await page.evaluate("\(Self.cast).ariaPressed") == "true")

      // Other pages leave it there, and the way back finds the button.
      try await page.click(".brand")
      try await page.until("the list", "document.body.dataset.page === 'stations'")
      try await page.evaluate("history.back()")
      try await page.until("its word", "\(Self.cast)?.textContent === 'On another device'")

      try await page.evaluate("device.go('disconnected', 'disconnect')")
      try await page.until("its word", "\(Self.cast).textContent === 'Cast'")
      try await page.until("sound", WebPage.isPlaying)
      try await page.evaluate("device.tell(false)")
      try await page.until("no button", "\(Self.cast).hidden")
      #expect(try page.errors() == [])
    }
  }

  @Test func `a device that cannot play it is said`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.chrome.page()
      try await page.beforeEachPage(Self.remotePlayback)
      try await page.open(scene.url("/listen/jazz"))
      try await page.play()
      try await page.until("that it looks for devices", "device.tell")
      try await page.evaluate("device.isRefused = true; device.tell(true)")
      try await page.click("#actions .cast")
      try await page.until(
        "words about it",
        "document.querySelector('#status').textContent.includes('No other device')")
      #expect(try page.errors() == [])
    }
  }

  @Test func `AirPlay's own list opens where a browser has it`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.chrome.page()
      try await page.beforeEachPage(
        """
        delete HTMLMediaElement.prototype.remote;
        HTMLMediaElement.prototype.webkitShowPlaybackTargetPicker = () => globalThis.picked = true;
        globalThis.tell = (name, more) =>
          document.querySelector("audio").dispatchEvent(Object.assign(new Event(name), more));
        """)
      try await page.open(scene.url("/listen/jazz"))
      try await page.play()
      try await page.until("a button to be", Self.cast)
      try await page.evaluate(
        "tell('webkitplaybacktargetavailabilitychanged', {availability: 'available'})")
      try await page.click("#actions .cast")
      #expect(try await page.evaluate("globalThis.picked") == .bool(true))
      try await page.evaluate(
        "document.querySelector('audio').webkitCurrentPlaybackTargetIsWireless = true;"
          + " tell('webkitcurrentplaybacktargetiswirelesschanged')")
      try await page.until("its word", "\(Self.cast).textContent === 'On another device'")
      #expect(try page.errors() == [])
    }
  }

  @Test func `a device that is cast to gets time to begin, and keeps its connection`() async throws
  {
    let found = try await Self.engine(
      """
      began(200);
      engine.play({media: 200});
      await pass(12);
      audio.remote = {state: "connected"};
      began(205);
      relay.connection.jumps = 0;
      audio.sounds = false;
      await pass(10);
      const still = [engine.state, audio.addresses.length];
      audio.sounds = true;
      await pass(20);
      const later = [engine.state, audio.addresses.length];
      engine.pause();
      await pass(60);
      const paused = engine.state;
      audio.remote.state = "disconnected";
      engine.resume();
      return {still, later, paused, streams: audio.addresses.length};
      """)
    #expect(found["still"] == .array(["waiting", .integer(1)]), "\(found.text)")
    #expect(found["later"] == .array(["playing", .integer(1)]), "\(found.text)")
    #expect(found["paused"] == "paused", "\(found.text)")
    #expect(found["streams"] == .integer(2), "\(found.text)")
  }
}
