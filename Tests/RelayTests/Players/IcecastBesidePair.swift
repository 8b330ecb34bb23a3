import Foundation
import Longwave
import Reactor
import TestSupport
import Testing
import Wire

extension IcecastBesideTests {
  /// Two servers that are asked the same.
  struct Pair {
    let setting: Setting
    let icecast: SocketAddress
    let longwave: SocketAddress

    private var basic: String {
      "Authorization: Basic " + Data(setting.admin.utf8).base64EncodedString()
    }

    private func ask(_ target: String, at address: SocketAddress, _ fields: [String] = [])
      async throws -> HTTPExchange
    {
      try await HTTPExchange("GET", target, at: address, fields: fields)
    }

    private func askBoth(_ target: String, _ fields: [String] = []) async throws -> (
      HTTPExchange, HTTPExchange
    ) {
      (
        try await ask(target, at: icecast, fields), try await ask(target, at: longwave, fields)
      )
    }

    func untilAllPlay(_ log: @autoclosure () -> String) async throws {
      for (name, address) in [("Icecast", icecast), ("Longwave", longwave)] {
        try await eventually("all of \(setting.file) play at \(name): \(log())", within: 60) {
          let mounts = try await ask("/admin/listmounts", at: address, [basic]).text
          return setting.mounts.allSatisfy { mounts.contains("mount=\"\($0)\"") }
            && (name == "Icecast" || Self.hasTypes(mounts))
        }
      }
    }

    /// Whether each mount has sound: its type is known.
    private static func hasTypes(_ mounts: String) -> Bool {
      !mounts.contains("application/octet-stream")
    }

    // MARK: What is compared

    func differences() async throws -> [String: String] {
      var found: [String: String] = [:]
      func compare(_ what: String, _ icecast: String?, _ longwave: String?) {
        if icecast != longwave {
          found[what] =
            found[what] ?? "\(icecast ?? "nothing") at Icecast, \(longwave ?? "nothing") here"
        }
      }
      // One listener of each mount that is open, so that there is something to list.
      let listeners = try setting.mounts.filter { !setting.closed.contains($0) }.flatMap { mount in
        try [icecast, longwave].map { try StreamClient(to: $0, get: mount, titles: true) }
      }
      for listener in listeners { try await listener.until { $0.received.count > 30_000 } }
      for mount in setting.sources.map(\.mount) {
        let title = "/admin/metadata?mount=\(mount)&mode=updinfo&song=Bj%C3%B6rk+-+J%C3%B3ga"
        let (theirs, ours) = try await askBoth(title, [basic])
        compare("metadata: status", "\(theirs.status)", "\(ours.status)")
        compare("metadata: return", Self.element("return", theirs), Self.element("return", ours))
        compare("metadata: message", Self.element("message", theirs), Self.element("message", ours))
      }
      let pushed = Set(setting.sources.map(\.mount))
      for (name, address) in [("Icecast", icecast), ("Longwave", longwave)] {
        try await eventually("the titles are shown at \(name)") {
          let status = try await ask("/status-json.xsl", at: address)
          // Icecast hides some mounts.
          let listed = Self.sources(JSON.parse(status.body)?["icestats"]).filter {
            Self.mount($0).map(pushed.contains) ?? false
          }
          return !listed.isEmpty && listed.allSatisfy { $0["title"] != nil }
        }
      }
      try await compareStatus(compare)
      try await compareStats(compare)
      try await compareLists(compare)
      try await compareHeads(compare)
      try await compareCodes(compare)
      try await comparePlaylists(compare)
      return found
    }

    private typealias Compare = (_ what: String, String?, String?) -> Void

    private func compareStatus(_ compare: Compare) async throws {
      let (theirs, ours) = try await askBoth("/status-json.xsl")
      compare("status-json: type", Self.type(theirs), Self.type(ours))
      compare(
        "status-json: CORS", theirs.head["access-control-allow-origin"],
        ours.head["access-control-allow-origin"])
      let (a, b) = (JSON.parse(theirs.body)?["icestats"], JSON.parse(ours.body)?["icestats"])
      compareMembers(
        "status-json", a?.members ?? [], b?.members ?? [], compare, besides: ["source"])
      let (one, other) = (Self.sources(a), Self.sources(b))
      compare("status-json: mounts", Self.names(one), Self.names(other))
      compare("status-json: shape of source", Self.shape(a?["source"]), Self.shape(b?["source"]))
      for source in one {
        guard let mount = Self.mount(source),
          let same = other.first(where: { Self.mount($0) == mount })
        else { continue }
        compareMembers("status-json source", source.members, same.members, compare, besides: [])
      }
    }

    /// Compares members that Icecast has; what is there besides harms no monitor.
    private func compareMembers(
      _ page: String, _ theirs: [JSON.Member], _ ours: [JSON.Member], _ compare: Compare,
      besides: Set<String>
    ) {
      // Times and hosts, which are each one's own; what depends on the moment.
      let varying: Set = [
        "server_start", "server_start_iso8601", "stream_start", "stream_start_iso8601", "host",
      ]
      for member in theirs where !besides.contains(member.key) {
        let same = ours.first { $0.key == member.key }?.value
        if varying.contains(member.key) {
          compare("\(page): \(member.key)", "there", same == nil ? nil : "there")
        } else {
          compare("\(page): \(member.key)", Self.plain(member.value), same.map(Self.plain))
        }
      }
    }

    private func compareStats(_ compare: Compare) async throws {
      let (theirs, ours) = try await askBoth("/admin/stats", [basic])
      compare("stats: type", Self.type(theirs), Self.type(ours))
      guard let a = XMLNode(theirs.body), let b = XMLNode(ours.body) else {
        return compare("stats: XML", theirs.text, ours.text)
      }
      compareElements("stats", a, b, compare)
      for source in a.all("source") {
        let mount = source.attributes["mount"]
        guard let same = b.all("source").first(where: { $0.attributes["mount"] == mount }) else {
          compare("stats: source", mount, nil)
          continue
        }
        compareElements("stats source", source, same, compare)
      }
      compare(
        "stats: mounts", Self.names(a.all("source").compactMap { $0.attributes["mount"] }),
        Self.names(b.all("source").compactMap { $0.attributes["mount"] }))
    }

    private func compareElements(
      _ page: String, _ theirs: XMLNode, _ ours: XMLNode, _ compare: Compare
    ) {
      let compared: Set = [
        "genre", "listeners", "max_listeners", "public", "server_description", "server_name",
        "server_type", "server_url", "title", "listener_peak", "sources",
      ]
      for child in theirs.children where child.name != "source" {
        let same = ours.child(child.name)
        if compared.contains(child.name) {
          compare("\(page): \(child.name)", child.text, same?.text)
        } else {
          compare("\(page): \(child.name)", "there", same == nil ? nil : "there")
        }
      }
    }

    private func compareLists(_ compare: Compare) async throws {
      let (theirs, ours) = try await askBoth("/admin/listmounts", [basic])
      let (a, b) = (XMLNode(theirs.body), XMLNode(ours.body))
      for source in a?.all("source") ?? [] {
        let same = b?.all("source").first { $0.attributes["mount"] == source.attributes["mount"] }
        for child in source.children {
          let isTime = child.name == "connected"
          let here = same?.child(child.name)
          compare(
            "listmounts: \(child.name)", isTime ? "there" : child.text,
            isTime ? here.map { _ in "there" } : here?.text)
        }
      }
      for mount in setting.mounts {
        let (theirs, ours) = try await askBoth("/admin/listclients?mount=\(mount)", [basic])
        let (a, b) = (XMLNode(theirs.body)?.child("source"), XMLNode(ours.body)?.child("source"))
        compare("listclients: mount", a?.attributes["mount"], b?.attributes["mount"])
        compare("listclients: listeners", a?.value("listeners"), b?.value("listeners"))
        guard let one = a?.child("listener"), let other = b?.child("listener") else { continue }
        for name in ["ip", "useragent"] {
          compare("listclients: \(name)", one.value(name), other.value(name))
        }
        for name in ["id", "connected"] {
          compare(
            "listclients: \(name)", one.child(name).map { _ in "there" },
            other.child(name).map { _ in "there" })
        }
      }
      let (list, same) = try await askBoth("/admin/streamlist.txt", [basic])
      compare("streamlist: status", "\(list.status)", "\(same.status)")
      func lines(_ answer: HTTPExchange) -> String {
        answer.text.split(whereSeparator: \.isNewline).sorted().joined(separator: " ")
      }
      compare("streamlist: mounts", lines(list), lines(same))
    }

    private func compareHeads(_ compare: Compare) async throws {
      for mount in setting.mounts where !setting.closed.contains(mount) {
        var heads: [StreamClient.Head] = []
        for address in [icecast, longwave] {
          heads.append(try await StreamClient(to: address, get: mount, titles: true).answer())
        }
        compare("head: status", "\(heads[0].status)", "\(heads[1].status)")
        for name in [
          "content-type", "icy-name", "icy-genre", "icy-pub", "icy-url", "icy-description",
          "icy-metaint", "icy-br", "ice-audio-info",
        ] where heads[0][name] != nil {
          compare("head: \(name)", heads[0][name], heads[1][name])
        }
      }
    }

    private func compareCodes(_ compare: Compare) async throws {
      let mount = setting.mounts[0]
      let wrong = "Authorization: Basic " + Data("admin:no-such".utf8).base64EncodedString()
      for (what, target, fields) in [
        ("unknown mount", "/nothing.mp3", []), ("admin without password", "/admin/stats", []),
        ("admin with a wrong password", "/admin/stats", [wrong]),
        ("unknown admin page", "/admin/nothing", [basic]),
        ("listclients of an unknown mount", "/admin/listclients?mount=/nothing", [basic]),
        ("listclients without a mount", "/admin/listclients", [basic]),
        (
          "metadata of an unknown mount", "/admin/metadata?mount=/nothing&mode=updinfo&song=x",
          [basic]
        ),
        ("metadata without a song", "/admin/metadata?mount=\(mount)&mode=updinfo", [basic]),
        (
          "killclient of a client that is gone", "/admin/killclient?mount=\(mount)&id=999999",
          [basic]
        ),
        (
          "moveclients to an unknown mount",
          "/admin/moveclients?mount=\(mount)&destination=/nothing", [basic]
        ),
        ("status page", "/status.xsl", []), ("7.xsl", "/7.xsl", []),
      ] as [(String, String, [String])] {
        let (theirs, ours) = try await askBoth(target, fields)
        compare("code: \(what)", "\(theirs.status)", "\(ours.status)")
      }
      for closed in setting.closed {
        let (theirs, ours) = try await askBoth(closed)
        compare("code: closed mount", "\(theirs.status)", "\(ours.status)")
      }
    }

    private func comparePlaylists(_ compare: Compare) async throws {
      for mount in setting.mounts {
        let (theirs, ours) = try await askBoth(mount + ".m3u")
        compare("m3u: type", Self.type(theirs), Self.type(ours))
        func url(_ answer: HTTPExchange) -> String? {
          answer.text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("http") }.map {
            WebURL.parts(of: String($0)).path
          }
        }
        compare("m3u: URL", url(theirs), url(ours))
        compare("m3u: lines", "\(Self.lines(theirs))", "\(Self.lines(ours))")
        let (one, other) = try await askBoth(mount + ".xspf")
        compare("xspf: type", Self.type(one), Self.type(other))
        func location(_ answer: HTTPExchange) -> String? {
          answer.text.firstMatch(of: /<location>[a-z]+:\/\/[^\/]+([^<]+)<\/location>/).map {
            String($0.1)
          }
        }
        compare("xspf: location", location(one), location(other))
      }
    }

    // MARK: Words

    private static func lines(_ answer: HTTPExchange) -> Int {
      answer.text.split(whereSeparator: \.isNewline).count
    }

    private static func type(_ answer: HTTPExchange) -> String? {
      answer.head["content-type"]?.lowercased().split(separator: ";").first.map(String.init)
    }

    private static func element(_ name: String, _ answer: HTTPExchange) -> String? {
      XMLNode(answer.body)?.value(name)
    }

    private static func sources(_ status: JSON?) -> [JSON] {
      guard let source = status?["source"] else { return [] }
      if case .array(let items) = source { return items }
      return [source]
    }

    private static func shape(_ value: JSON?) -> String? {
      switch value {
      case .array: "list"
      case .object: "object"
      case nil: nil
      default: "else"
      }
    }

    private static func mount(_ source: JSON) -> String? {
      source["listenurl"]?.string.map { WebURL.parts(of: $0).path }
    }

    private static func names(_ sources: [JSON]) -> String { names(sources.compactMap(mount)) }
    private static func names(_ mounts: [String]) -> String {
      mounts.sorted().joined(separator: " ")
    }

    private static func plain(_ value: JSON) -> String {
      if case .string(let text) = value {
        // Each server has its own port.
        return text.hasPrefix("http") ? WebURL.parts(of: text).path : text
      }
      return value.text
    }
  }
}
