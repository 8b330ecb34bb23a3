import Longwave
import TestSupport
import Testing

/// The player's engine by itself, in the browser: its audio element, relay and time are the test's.
extension WebScenarioTests {
  /// Runs the body of an async function with `engine`, and with what it plays on.
  ///
  /// `pass(seconds)` lets time pass and, while `audio.sounds`, the audio with it. `relay` says what the relay answers:
  /// the status of the stream, its `Retry-After`, what the session's connection is, the station's state.
  static func engine(_ body: String) async throws -> JSON {
    try await module(
      "engine.js", as: "engines",
      """
      const {Timeline} = await import(`/${folder}/timeline.js`);
      const start = 1700000000000;
      const at = (seconds) => new Date(start + seconds * 1000).toISOString();
      const end = (media) => ({media, air: at(media), position: media * 16000});
      let clock = 0, lastTimer = 0;
      const timeline = new Timeline({
        station: "jazz", timeZone: {name: "UTC", seconds: 0}, live: end(400), oldest: end(50),
        anchors: [{media: 0, air: at(0)}], gaps: [], titles: [],
      }, clock);
      class Audio extends EventTarget {
        currentTime = 0;
        paused = true;
        ended = false;
        error = null;
        sounds = true;
        addresses = [];
        #has = false;
        set src(address) {
          this.addresses.push(address);
          this.#has = true;
          this.currentTime = 0;
          this.error = null;
        }
        hasAttribute() { return this.#has; }
        removeAttribute() { this.#has = false; }
        load() {}
        play() {
          this.paused = false;
          return Promise.resolve();
        }
        pause() { this.paused = true; }
        fail(code) {
          this.error = {code};
          this.dispatchEvent(new Event("error"));
        }
        get place() {
          const seek = new URL(this.addresses.at(-1), "http://relay").searchParams.get("seek");
          return seek?.includes("T") ? (Date.parse(seek) - start) / 1000 : seek;
        }
      }
      const audio = new Audio();
      const timers = new Map();
      const setTimer = (work, milliseconds) => {
        const id = lastTimer += 1;
        timers.set(id, {at: clock + milliseconds, work});
        return () => timers.delete(id);
      };
      // Answers come by promises, some of them behind others.
      const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
      function go(to) {
        if (audio.sounds && !audio.error && !audio.paused && audio.hasAttribute("src")) audio.currentTime += (to - clock) / 1000;
        clock = to;
      }
      async function pass(seconds) {
        const until = clock + seconds * 1000;
        for (;;) {
          const due = [...timers].filter(([, timer]) => timer.at <= until).sort(([, a], [, b]) => a.at - b.at)[0];
          if (!due) break;
          timers.delete(due[0]);
          go(Math.max(clock, due[1].at));
          due[1].work();
          await settle();
        }
        go(until);
      }
      const relay = {status: 200, retryAfter: 0, connection: null, state: "playing", orders: []};
      async function fetch(path, {method, body}) {
        if (relay.status === 0) throw new TypeError("no network");
        if (method === "POST") relay.orders.push(JSON.parse(body).action);
        const headers = relay.retryAfter ? {"Retry-After": String(relay.retryAfter)} : {};
        if (path.startsWith("/api/v1/sessions/")) return Response.json({connection: relay.connection});
        if (path.startsWith("/api/v1/stations/")) {
          return Response.json({state: relay.state, window: {live: at(400 + clock / 1000)}});
        }
        return new Response(null, {status: relay.status, headers});
      }
      const engine = new engines.Engine({
        audio, station: "jazz", token: "token-of-tab", timeline, bitrate: 128, burst: 4, fetch, now: () => clock, setTimer,
      });
      /** The relay says that the connection began there. */
      const began = (media) => {
        relay.connection = {since: `${media} ${clock}`, media, air: at(media), jumps: 0, after: 0};
      };
      const heard = () => Math.round((engine.heardAir() - start) / 1000);
      \(body)
      """)
  }

  @Test func `sound that stands still is taken anew from the word last heard`() async throws {
    let found = try await Self.engine(
      """
      began(200);
      engine.play({media: 200});
      await pass(12);
      const before = [engine.state, heard()];
      audio.sounds = false;
      await pass(3);
      const still = engine.state;
      await pass(4);
      return {before, still, state: engine.state, streams: audio.addresses.length, place: Math.round(audio.place)};
      """)
    #expect(found["before"] == .array(["playing", .integer(212)]))
    #expect(found["still"] == "waiting")
    #expect(found["state"] == "starting" && found["streams"] == .integer(2))
    #expect(found["place"] == .integer(212))
  }

  @Test func `tries without a network come slower, and the first that succeeds plays on`()
    async throws
  {
    let found = try await Self.engine(
      """
      began(200);
      engine.play({media: 200});
      await pass(12);
      relay.status = 0;
      const delays = [];
      engine.addEventListener("state", () => {
        if (engine.state === "retrying" && delays.at(-1) !== engine.retryIn) delays.push(engine.retryIn);
      });
      audio.fail(2);
      await pass(60);
      const away = [engine.state, engine.reason, audio.addresses.length];
      relay.status = 200;
      await pass(16);
      return {delays, away, state: engine.state, streams: audio.addresses.length, place: Math.round(audio.place)};
      """)
    // Each try's delay, and its seconds as they are told.
    let delays = found["delays"]?.items.compactMap(\.integer) ?? []
    let tops = delays.indices.filter { $0 == 0 || delays[$0] > delays[$0 - 1] }.map { delays[$0] }
    #expect(tops == [1, 2, 4, 8, 15, 15] || tops == [1, 2, 4, 8, 15, 15, 15], "\(delays)")
    #expect(found["away"] == .array(["retrying", "offline", .integer(1)]))
    #expect(found["streams"] == .integer(2) && found["place"] == .integer(212))
    #expect(["starting", "playing"].contains(found["state"]?.string))
  }

  @Test(arguments: [(404, "unknown"), (401, "unauthorized"), (403, "refused")])
  func `an answer that will not change ends playing, in words`(status: Int, reason: String)
    async throws
  {
    let found = try await Self.engine(
      """
      began(200);
      engine.play({media: 200});
      await pass(12);
      relay.status = \(status);
      audio.fail(2);
      await pass(120);
      return {state: engine.state, reason: engine.reason, streams: audio.addresses.length};
      """)
    #expect(found["state"] == "gone" && found["reason"]?.string == reason)
    #expect(found["streams"] == .integer(1))
  }

  @Test(arguments: [(503, "busy"), (429, "crowded")])
  func `a relay that is full is asked again when it says`(status: Int, reason: String) async throws
  {
    let found = try await Self.engine(
      """
      began(200);
      engine.play({media: 200});
      await pass(12);
      [relay.status, relay.retryAfter] = [\(status), 7];
      audio.fail(2);
      await pass(1);
      const told = [engine.state, engine.reason, engine.retryIn > 5];
      [relay.status, relay.retryAfter] = [200, 0];
      await pass(4);
      const early = audio.addresses.length;
      await pass(5);
      return {told, early, streams: audio.addresses.length};
      """)
    #expect(found["told"] == .array(["retrying", .string(reason), .bool(true)]))
    #expect(found["early"] == .integer(1) && found["streams"] == .integer(2))
  }

  @Test func `audio that the browser cannot play is given up after three tries`() async throws {
    let found = try await Self.engine(
      """
      audio.sounds = false;
      engine.play("live");
      for (let tries = 0; tries < 5; tries += 1) {
        await pass(1);
        audio.fail(4);
        await pass(5);
      }
      return {state: engine.state, reason: engine.reason, streams: audio.addresses.length};
      """)
    #expect(found["state"] == "gone" && found["reason"] == "format")
    #expect(found["streams"] == .integer(3))
  }

  @Test func `a pause lets go of its connection after half a minute and keeps the place`()
    async throws
  {
    let found = try await Self.engine(
      """
      began(200);
      engine.play({media: 200});
      await pass(12);
      engine.pause();
      await pass(29);
      const held = [engine.state, audio.hasAttribute("src"), heard()];
      await pass(2);
      const released = [engine.state, audio.hasAttribute("src"), heard()];
      await pass(600);
      engine.resume();
      await settle();
      return {held, released, orders: relay.orders, place: Math.round(audio.place)};
      """)
    #expect(found["held"] == .array(["paused", .bool(true), .integer(212)]))
    #expect(found["released"] == .array(["released", .bool(false), .integer(212)]))
    #expect(found["orders"] == ["pause"] && found["place"] == .integer(212))
  }

  @Test func `a place that the relay no longer keeps is told as lost`() async throws {
    let found = try await Self.engine(
      """
      began(200);
      engine.play({media: 200});
      await pass(12);
      const kept = engine.lost();
      engine.pause();
      await pass(600);
      began(300);
      engine.resume();
      const asked = engine.lost();
      await pass(12);
      return {kept, asked, lost: Math.round(engine.lost())};
      """)
    #expect(found["kept"] == .integer(0) && found["asked"] == .integer(0))
    #expect(found["lost"] == .integer(88))
  }

  @Test func `a session that another device plays is left to it`() async throws {
    let found = try await Self.engine(
      """
      began(200);
      engine.play({media: 200});
      await pass(12);
      began(300);
      await pass(30);
      return {state: engine.state, reason: engine.reason, streams: audio.addresses.length};
      """)
    #expect(found["state"] == "gone" && found["reason"] == "elsewhere")
    #expect(found["streams"] == .integer(1))
  }
}
