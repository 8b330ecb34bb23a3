import Longwave
import TestSupport
import Testing

/// The page of all stations, as somebody finds theirs in it.
extension WebScenarioTests {
  /// The ids of the cards that are shown, in their order.
  private static let shown =
    "[...document.querySelectorAll('.card:not([hidden])')].map(card => card.dataset.station).join()"

  /// "jazz" and "news", with as many further stations as are wished for.
  private static func withList(
    of count: Int, _ body: (WebPage, Scene) async throws -> Void
  ) async throws {
    try await withScene(past: 10) { configuration, upstream in
      for index in configuration.stations.indices { configuration.stations[index].genre = "Talk" }
      for number in 2..<max(2, count) {
        var further = StationDefinition(id: "further\(number)", upstream: [upstream.url("/live")])
        further.name = "Further \(number)"
        further.genre = number % 2 == 0 ? "Blues, Soul" : "Fado"
        configuration.stations.append(further)
      }
    } _: { scene in
      let page = try await scene.page("/")
      try await page.until("stars", "document.querySelectorAll('.card .star').length === \(count)")
      try await body(page, scene)
      #expect(try page.errors() == [])
    }
  }

  @Test func `starred stations come first, then what was heard last`() async throws {
    try await Self.withList(of: 4) { page, _ in
      #expect(try await page.evaluate(Self.shown) == "jazz,news,further2,further3")
      try await page.evaluate(
        "localStorage.setItem('place:further2', JSON.stringify({air: 1, saved: Date.now()}))")
      try await page.reload()
      try await page.until(
        "what was heard first", "\(Self.shown) === 'further2,jazz,news,further3'")
      try await page.click("[data-station=news] .star")
      try await page.until("the star first", "\(Self.shown) === 'news,further2,jazz,further3'")
      #expect(
        try await page.evaluate(
          "document.activeElement.closest('.card')?.dataset.station") == "news")
      try await page.reload()
      try await page.until("the same again", "\(Self.shown) === 'news,further2,jazz,further3'")
      #expect(
        try await page.evaluate(
          "document.querySelector('[data-station=news] .star').getAttribute('aria-pressed')")
          == "true")
      try await page.click("[data-station=news] .star")
      try await page.until("no star", "\(Self.shown) === 'further2,jazz,news,further3'")
      #expect(try await page.evaluate("localStorage.getItem('stars')").isNull)
    }
  }

  @Test func `words and a genre narrow the list, and it is put in order`() async throws {
    try await Self.withList(of: 6) { page, _ in
      let chips = try await page.evaluate(
        "[...document.querySelectorAll('.chip')].map(chip => chip.textContent)")
      #expect(Set(chips.items.compactMap(\.string)) == ["Talk", "Blues", "Soul", "Fado"])
      try await page.evaluate(
        "[...document.querySelectorAll('.chip')].find(chip => chip.textContent === 'Soul').click()")
      try await page.until("Soul alone", "\(Self.shown) === 'further2,further4'")
      try await page.click("#search input")
      try await page.press("4")
      try await page.until("one of them", "\(Self.shown) === 'further4'")
      // It is there again behind another page.
      try await page.click("[data-station=further4] > a")
      try await page.until("its page", "document.body.dataset.page === 'listen'")
      try await page.evaluate("history.back()")
      try await page.until("the list", "document.body.dataset.page === 'stations'")
      try await page.until("one of them again", "\(Self.shown) === 'further4'")
      try await page.click("#search input")
      try await page.press("End")
      try await page.press("5")
      try await page.until(
        "words about it", "document.querySelector('#search p').textContent.includes('45')")
      try await page.evaluate(
        "(field => { field.value = ''; field.dispatchEvent(new Event('input')); })"
          + "(document.querySelector('#search input'))")
      try await page.click(".chip[aria-pressed=true]")
      try await page.until(
        "all of them", "document.querySelectorAll('.card:not([hidden])').length === 6")
      try await page.evaluate(
        "(menu => { menu.value = 'name'; menu.dispatchEvent(new Event('change')); })"
          + "(document.querySelector('#search select'))")
      try await page.until(
        "by name", "\(Self.shown).startsWith('further2,further3,further4,further5,')")
    }
  }

  @Test func `the word in the search is whole on a phone, in each language`() async throws {
    let stations = (1...6).map {
      StationDefinition(id: "s\($0)", upstream: ["http://127.0.0.1:1/"])
    }
    try await Scenario.withRelay(stations) { relay in
      try await ChromePipe.with { chrome in
        let page = try await chrome.page()
        try await page.resize(width: 360, height: 740, isPhone: true)
        for language in ["en", "de", "es", "fr", "nb", "zh"] {
          try await page.open("http://\(relay.address)/?lang=\(language)")
          try await page.until("the search", "document.querySelector('#search input')")
          let room = try await page.evaluate(
            """
            (() => {
              const field = document.querySelector("#search input"), style = getComputedStyle(field);
              const context = document.createElement("canvas").getContext("2d");
              context.font = style.font;
              return field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
                - context.measureText(field.placeholder).width;
            })()
            """
          ).double
          #expect(room ?? -1 >= 0, "\(language): \(room ?? 0)")
          #expect(
            try await page.evaluate("document.querySelector('#search input').ariaLabel.length > 4")
              == .bool(true) || language == "zh")
        }
      }
    }
  }

  @Test func `a genre with a stroke in it is one genre, and blanks round it make two`() async throws
  {
    try await Self.withScene(past: 10) { configuration, upstream in
      for (id, genre) in ["rap": "R&B/Hip-Hop", "rock": "Rock / Pop", "pop": "Pop", "talk": "Talk"]
      {
        var station = StationDefinition(id: id, upstream: [upstream.url("/live")])
        station.genre = genre
        configuration.stations.append(station)
      }
    } _: { scene in
      let page = try await scene.page("/")
      try await page.until("chips", "document.querySelector('.chip')")
      let chips = try await page.evaluate(
        "[...document.querySelectorAll('.chip')].map(chip => chip.textContent)")
      let known = Set(chips.items.compactMap(\.string))
      #expect(known == ["R&B/Hip-Hop", "Rock", "Pop", "Talk"], "\(known)")
      try await page.evaluate(
        "[...document.querySelectorAll('.chip')].find(chip => chip.textContent.includes('/')).click()"
      )
      try await page.until("one station", "\(Self.shown) === 'rap'")
    }
  }

  @Test func `a long list is rows, and so is a short one in a narrow window`() async throws {
    let isRow =
      "(a => a.width / a.height > 3)(document.querySelector('.card > a').getBoundingClientRect())"
    try await Self.withList(of: 13) { page, scene in
      try await page.resize(width: 1280, height: 800)
      try await page.until("rows", isRow)
      #expect(try await scene.relay.get("/").text.contains("class=\"stations rows\""))
    }
    try await Self.withList(of: 4) { page, scene in
      try await page.resize(width: 1280, height: 800)
      try await page.until("tiles", "!\(isRow)")
      #expect(try await scene.relay.get("/").text.contains("class=\"stations\""))
      try await page.resize(width: 360, height: 740, isPhone: true)
      try await page.until("rows", isRow)
      try await page.until("no way sideways", "document.documentElement.scrollWidth <= 360")
    }
  }

  @Test func `a copy says how much later it is, and what is on air needs no word`() async throws {
    try await Self.withScene(past: 40) { configuration, _ in
      configuration.stations.append(
        StationDefinition(id: "west", source: .copy(of: "jazz", delay: 15)))
    } _: { scene in
      let page = try await scene.page("/")
      try await page.until(
        "its word",
        "document.querySelector('[data-station=west] .later')?.textContent === '15 seconds later'")
      let isSeen =
        "getComputedStyle(document.querySelector('[data-station=jazz] .state')).visibility"
      #expect(try await page.evaluate(isSeen) == "hidden")
      #expect(try await scene.json("/api/v1/stations/west")["delay"]?.double == 15)
      try await page.open(scene.url("/listen/west"))
      try await page.until(
        "its word", "document.querySelector('.station .later')?.textContent === '15 seconds later'")
      #expect(try page.errors() == [])
    }
  }

  @Test func `the list's pictures follow the titles`() async throws {
    try await Self.withScene(past: 10) { scene in
      let page = try await scene.page("/")
      try await page.until("stars", "document.querySelectorAll('.card .star').length === 2")
      try await page.until(
        "a made picture", "document.querySelector('[data-station=jazz] .art-made')")
      for name in ["one", "two"] {
        // The station's own titles come between now and then: it is told again.
        try await eventually("the picture of \(name)") {
          let told = try await HTTPExchange(
            "PUT", "/api/v1/stations/jazz/metadata", at: scene.relay.address,
            fields: ["Authorization: Bearer \(Scenario.token)", "Content-Type: application/json"],
            body: "{\"title\":\"\(name)\",\"url\":\"\(scene.url("/\(name).png"))\"}")
          #expect(told.status == 200)
          for _ in 0..<20 {
            let playing = try await scene.json("/api/v1/stations/jazz")["nowPlaying"]
            guard playing?["title"]?.string == name, let place = playing?["position"]?.integer
            else { return false }
            let shown =
              "document.querySelector('[data-station=jazz]').dataset.picture"
              + "?.endsWith('/artwork?position=\(place)') === true"
            if try await page.evaluate(shown) == .bool(true) { return true }
            try await Task.sleep(for: .milliseconds(200))
          }
          return false
        }
      }
    }
  }

  @Test func `where one station is listed, its player is the first page`() async throws {
    let upstream = try await PitchStation.upstream(burst: 60)
    defer { upstream.stop() }
    let jazz = StationDefinition(id: "jazz", upstream: [upstream.url("/live")])
    var jingles = StationDefinition(id: "jingles", upstream: [upstream.url("/live")])
    jingles.isListed = false
    try await Scenario.withRelay([jazz, jingles]) { relay in
      try await relay.until("jazz", has: 40)
      try await ChromePipe.with { chrome in
        let page = try await chrome.page()
        try await page.open("http://\(relay.address)/?offset=30s")
        try await page.until("its player", "document.querySelector('#controls button.play')")
        #expect(try await page.evaluate("document.querySelector('.links')").isNull)
        try await page.play()
        try await page.until(
          "its place", "/0:[23]\\d/.test(document.querySelector('#place').textContent)")
        try await page.click(".brand")
        try await page.until("the same page", "location.search === ''")
        #expect(try page.streams(of: "jazz").count == 1)
        #expect(try page.errors() == [])
      }
    }
  }

  @Test func `no words of a card lie over others, however narrow the window`() async throws {
    try await Self.withScene { scene in
      for body in [
        #"{"id":"west","name":"A long name of a station in the west","of":"jazz","delay":"1h"}"#,
        #"{"id":"shut","name":"Members alone","of":"jazz","delay":"1h","auth":{"tokens":["open-sesame"]}}"#,
      ] {
        let answer = try await HTTPExchange(
          "POST", "/api/v1/stations", at: scene.relay.address,
          fields: ["Authorization: Bearer \(Scenario.token)", "Content-Type: application/json"],
          body: body)
        #expect(answer.status == 201, "\(answer.text)")
      }
      let page = try await scene.chrome.page()
      for (width, language) in [(360, "fr"), (360, "en"), (820, "de"), (1280, "nb")] {
        try await page.resize(width: width, height: 740)
        try await page.open(scene.url("/?lang=\(language)"))
        try await page.until(
          "the cards", "document.querySelector('[data-station=shut] .later')?.textContent")
        let over = try await page.evaluate(
          """
          (() => {
            const found = [];
            for (const card of document.querySelectorAll('.card')) {
              const texts = [...card.querySelectorAll('.name, .song, .count, .state, .later, .lock')]
                .filter((one) => one.textContent.trim() && getComputedStyle(one).visibility === 'visible')
                .map((one) => [one.className, one.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
              for (const [a, one] of texts) for (const [b, other] of texts) {
                const isOver = a < b && one.left < other.right - 1 && other.left < one.right - 1
                  && one.top < other.bottom - 3 && other.top < one.bottom - 3;
                if (isOver) found.push(`${card.dataset.station}: ${a} over ${b}`);
              }
            }
            return found;
          })()
          """)
        #expect(over == [], "\(width) \(language)")
      }
    }
  }

  @Test func `a station on demand is played in the list`() async throws {
    try await Self.withScene(past: 10) { configuration, upstream in
      var station = StationDefinition(id: "wanted", upstream: [upstream.url("/live")])
      station.onDemand = true
      configuration.stations.append(station)
    } _: { scene in
      try await scene.relay.until("wanted", is: "paused")
      let page = try await scene.page("/")
      try await page.until(
        "its button", "document.querySelector('[data-station=wanted] .button.play')")
      try await page.click("[data-station=wanted] .button.play")
      try await page.until(
        "its sound",
        "[...document.querySelectorAll('audio')].some(a => !a.paused && a.currentTime > 0"
          + " && new URL(a.src).pathname === '/wanted')")
      #expect(try page.errors() == [])
    }
  }
}
