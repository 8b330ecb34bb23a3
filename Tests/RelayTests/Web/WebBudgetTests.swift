import Longwave
import TestSupport
import Testing

/// What the pages cost, and what they must never do.
extension WebScenarioTests {
  /// Kinds that count as a page's own files; artwork and sound do not.
  private static let files: Set = ["Document", "Stylesheet", "Script", "Image", "Font", "Other"]

  /// The files a tab loaded so far, once nothing more comes.
  private func files(of page: WebPage) async throws -> [WebPage.Request] {
    var before = -1
    return try await eventually("all files") {
      let files = try page.requests().filter {
        Self.files.contains($0.kind) && !$0.path.hasPrefix("/api/")
      }
      defer { before = files.count }
      guard files.count == before, files.allSatisfy(\.isOver) else {
        try await Task.sleep(for: .milliseconds(500))
        return nil
      }
      return files
    }
  }

  /// Titles that the player's page brings.
  private static let titles = 8

  /// Tells of titles until the player's page has as many as it takes.
  private func fillHistory(of scene: Scene) async throws {
    var number = 0
    try await eventually("a page full of titles") {
      number += 1
      let told = try await HTTPExchange(
        "PUT", "/api/v1/stations/jazz/metadata", at: scene.relay.address,
        fields: ["Authorization: Bearer \(Scenario.token)", "Content-Type: application/json"],
        body: "{\"title\":\"The song of number \(number)\",\"artist\":\"Artist \(number % 7)\"}")
      #expect(told.status == 200)
      let page = try await scene.relay.get("/listen/jazz").text
      return page.matches(of: /<li data-position=/).count == Self.titles
    }
  }

  // All that a page loads before anybody does anything, with the page itself.
  @Test(arguments: [
    ("/listen/jazz", 48, 12), ("/", 29, 12), ("/listen/jazz/embed", 50, 14), ("/admin/", 37, 20),
  ])
  func `a page's first load is small and comes from the relay alone`(
    path: String, kilobytes: Int, filesMax: Int
  ) async throws {
    try await Self.withScene { scene in
      try await fillHistory(of: scene)
      let page = try await scene.page(path)
      let files = try await files(of: page)
      // Without the heads, which another protocol packs.
      var bytes = 0
      var list = ""
      for file in files {
        let answer = try await scene.relay.get(file.path, fields: ["Accept-Encoding: gzip"])
        bytes += answer.body.count
        list += "\(answer.body.count) \(file.path)\n"
      }
      print("\(path): \(files.count) files, \(bytes) bytes")
      #expect(bytes <= kilobytes * 1024 && files.count <= filesMax, "\(list)")
      #expect(files.allSatisfy { $0.status == 200 }, "\(list)")
      #expect(try page.requests().allSatisfy { $0.url.hasPrefix(scene.url("/")) })
      #expect(try page.errors() == [])
      #expect(try page.refusals() == [])
    }
  }

  @Test func `a page asks for little before it shows and before it sounds`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.page()
      _ = try await files(of: page)
      let before = try page.requests()
      try await page.play()
      let during = try page.requests().dropFirst(before.count)
      let list = during.map(\.path).joined(separator: "\n")
      #expect(during.count { $0.kind == "Media" } == 1, "\(list)")
      #expect(during.count { $0.path.hasPrefix("/api/v1/sessions/") } <= 1, "\(list)")
      // Only styles and the kept theme keep the text from being shown.
      let blocking = try await page.evaluate(
        "performance.getEntriesByType('resource').filter((one) => one.renderBlockingStatus === 'blocking')"
          + ".map((one) => one.name)")
      let scripts = blocking.items.compactMap(\.string).filter { $0.hasSuffix(".js") }
      #expect(
        blocking.items.count <= 3 && scripts.allSatisfy { $0.hasSuffix("/theme.js") },
        "\(blocking.text)")
      #expect(before.count { $0.kind == "EventSource" } <= 1)
      #expect(try page.requests().allSatisfy { $0.url.hasPrefix(scene.url("/")) })
    }
  }

  @Test func `a second load takes every file out of the cache`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.page()
      let assets = try await files(of: page).filter { $0.path.hasPrefix("/assets/") }
      #expect(!assets.isEmpty)
      for asset in assets {
        let answer = try await scene.relay.get(asset.path)
        #expect(answer.head["cache-control"]?.contains("immutable") == true, "\(asset.path)")
        #expect(answer.head["x-content-type-options"] == "nosniff", "\(asset.path)")
      }
    }
  }

  @Test func `every language has every phrase, with the same values in it`() async throws {
    try await Self.withScene { scene in
      let page = try await scene.page()
      let folder = try page.assetFolder()
      let script = """
        (async () => {
          const values = (phrase) =>
            [...(phrase.other ?? phrase).matchAll(/\\{\\w+\\}/g)].map(String).sort().join();
          const english = (await import("/\(folder)/i18n/en.js")).default;
          const problems = [];
          for (const language of ["de", "fr", "es", "nb", "zh"]) {
            const phrases = (await import(`/\(folder)/i18n/${language}.js`)).default;
            for (const key of new Set([...Object.keys(english), ...Object.keys(phrases)])) {
              if (!(key in english) || !(key in phrases)) problems.push(`${language} ${key}: in one only`);
              else if (values(english[key]) !== values(phrases[key])) problems.push(`${language} ${key}: values`);
              else if (phrases[key] === "") problems.push(`${language} ${key}: empty`);
            }
          }
          return problems;
        })()
        """
      let problems = try await page.evaluate(script).items.compactMap(\.string)
      #expect(problems.isEmpty, "\(problems.joined(separator: "; "))")
    }
  }

  @Test(arguments: ["de", "zh"]) func `a page speaks the language asked for`(language: String)
    async throws
  {
    try await Self.withScene { scene in
      let page = try await scene.page("/listen/jazz?lang=\(language)")
      try await page.until(
        "its language", "document.documentElement.lang.startsWith('\(language)')")
      try await page.until(
        "its heading", "!['', 'Played'].includes(document.querySelector('#played').textContent)")
      #expect(try page.errors() == [])
    }
  }
}
