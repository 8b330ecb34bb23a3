import Foundation
import Glibc
import Ingest
import Programmes
import TestSupport
import Testing

@testable import Settings

/// Which files stations may name, and who may name them.
@Suite struct PathRulesTests {
  private let folder: TemporaryDirectory
  private let top: String
  private let data: String

  init() throws {
    folder = TemporaryDirectory()
    top = folder.path
    data = top + "/data"
    for name in [
      "data", "data/recordings", "data/stations", "media", "media/shows", "elsewhere", "media2",
    ] {
      mkdir("\(top)/\(name)", 0o755)
    }
    for name in ["media/loop.mp3", "elsewhere/x.mp3", "data/longwave.db", "media2/y.mp3"] {
      try "x".write(toFile: "\(top)/\(name)", atomically: false, encoding: .utf8)
    }
    symlink(top + "/elsewhere", top + "/media/out")
    symlink("../elsewhere/x.mp3", top + "/media/link.mp3")
    symlink(data, top + "/media/in")
  }

  private func problem(
    _ change: (inout StationDefinition) -> Void, isRemote: Bool, paths: [String]? = nil,
    since before: StationDefinition? = nil
  ) -> PathRules.Problem? {
    var configuration = Configuration()
    configuration.server.paths = paths ?? [top + "/media"]
    var station = StationDefinition(id: "a", upstream: [])
    change(&station)
    return PathRules(configuration, data: data)
      .problem(of: station, since: before, isRemote: isRemote)
  }

  @Test(arguments: ["", "/data", "/data/", "/data/recordings"])
  func `wherever recordings are, nothing else of the data folder is served`(place: String) {
    var configuration = Configuration()
    configuration.recordings.folder = top + place
    let rules = PathRules(configuration, data: data)
    for (path, isPrivate) in [
      ("/data", true), ("/data/stations", true), ("/data/longwave.db", true), ("/media", false),
      ("/data/recordings", place != "/data/recordings"),
    ] {
      let station = StationDefinition(id: "a", source: .files(top + path, throttleBypass: nil))
      #expect((rules.problem(of: station, isRemote: false) != nil) == isPrivate, "\(path)")
    }
  }

  @Test(arguments: ["files", "programme", "fallback", "htpasswd", "ca-file"])
  func `paths named over the network stay in the folders that are allowed`(kind: String) {
    func set(_ path: String) -> (inout StationDefinition) -> Void {
      { station in
        switch kind {
        case "files": station.source = .files(path, throttleBypass: nil)
        case "programme": station.source = .programme(Programme(playing: .folder(path)))
        case "fallback": station.fallback = .file(path)
        case "htpasswd":
          station.auth = AuthSettings()
          station.auth?.passwordFile = path
        default: station.connection.caFile = path
        }
      }
    }
    let folders = kind == "ca-file" ? [] : ["/media", "/media/shows"]
    for path in folders + ["/media/loop.mp3", "/media/../media/loop.mp3"] {
      #expect(problem(set(top + path), isRemote: true) == nil, "\(path)")
    }
    var messages: Set<String> = []
    for path in [
      "/elsewhere", "/elsewhere/x.mp3", "/media/out", "/media/out/x.mp3", "/media/link.mp3",
      "/media/../elsewhere", "/media2/y.mp3", "/nothing", "/media/nothing", "/media/in",
      "/media/in/longwave.db", "/data", "/data/longwave.db", "",
    ] {
      let problem = problem(set(top + path), isRemote: true)
      #expect(problem?.isForbidden == true, "\(path)")
      messages.insert(problem?.message ?? "")
    }
    // Nobody is told what there is elsewhere.
    #expect(messages.count == 1)
    #expect(problem(set("/etc/passwd"), isRemote: true)?.isForbidden == true)
    let none = problem(set(top + "/media/loop.mp3"), isRemote: true, paths: [])
    #expect(none?.isForbidden == true && none?.message.contains("server: paths:") == true)
  }

  @Test func `a local command may name any path but the relay's own`() {
    for path in ["/elsewhere/x.mp3", "/media/out", "/nothing/at/all", "/data/recordings", ""] {
      #expect(
        problem({ $0.source = .files(top + path, throttleBypass: nil) }, isRemote: false) == nil,
        "\(path)")
    }
    for path in [
      "/data", "/data/longwave.db", "/data/longwave.sock", "/media/in", "/media/in/stations",
      "/data/recordings/../stations", "/data/none/yet",
    ] {
      let problem = problem(
        { $0.source = .files(top + path, throttleBypass: nil) }, isRemote: false)
      #expect(problem != nil && problem?.isForbidden == false, "\(path)")
    }
    // The data folder may be in a folder that is named; what is in it is not.
    #expect(
      problem(
        { $0.source = .files(data + "/stations", throttleBypass: nil) }, isRemote: true,
        paths: [top])?.isForbidden == false
    )
  }

  @Test func `a path that somebody else has set may stay`() {
    let before = StationDefinition(id: "a", source: .files("/srv/shows", throttleBypass: nil))
    #expect(
      problem(
        { $0.source = .files("/srv/shows", throttleBypass: nil) }, isRemote: true, since: before)
        == nil)
    #expect(
      problem({ $0.source = .files("/srv", throttleBypass: nil) }, isRemote: true, since: before)
        != nil)
    #expect(problem({ $0.source = .upstream([]) }, isRemote: true, since: before) == nil)
  }

  @Test func `a programme's paths may stay when others come, and move`() {
    func playing(_ paths: String...) -> StationSource {
      .programme(Programme(PlayRules(.wheel(paths.map { .init(.folder($0)) }))))
    }
    let before = StationDefinition(id: "a", source: playing("/srv/a", "/srv/b"))
    func found(_ source: StationSource) -> PathRules.Problem? {
      problem({ $0.source = source }, isRemote: true, since: before)
    }
    #expect(found(playing("/srv/b", top + "/media", "/srv/a")) == nil)
    let other = found(playing("/srv/a", top + "/elsewhere"))
    #expect(other?.isForbidden == true && other?.key == "programme.wheel[1]")
  }

  @Test func `a configuration's forbidden paths are told by line`() throws {
    let yaml = "stations:\n  - id: a\n    files: \(data)/stations\n"
    let configuration = try Configuration.parse(yaml: yaml, file: "x.yml")
    let error = #expect(throws: ConfigurationError.self) {
      try configuration.requireOwnPaths(data: data)
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.hasPrefix("x.yml:2: stations.a.files: "), "\(text)")
  }

  @Test func `authorities are a regular file, or one that is still to come`() throws {
    mkfifo(top + "/media/pipe", 0o600)
    for path in ["/media/pipe", "/media"] {
      for isRemote in [false, true] {
        let found = problem({ $0.connection.caFile = top + path }, isRemote: isRemote)
        #expect(found?.message == PathRules.notAFile && found?.isForbidden == false)
      }
    }
    for path in ["/media/loop.mp3", "/media/later.pem"] {
      #expect(problem({ $0.connection.caFile = top + path }, isRemote: false) == nil)
    }
    var configuration = Configuration()
    configuration.upstream.caFile = top + "/media/pipe"
    let error = #expect(throws: ConfigurationError.self) {
      try configuration.requireOwnPaths(data: data)
    }
    #expect(error?.problems.map(\.key) == ["upstream.ca-file"])
  }

  @Test func `music over the network may lie in a root, other files may not`() {
    func problem(_ change: (inout StationDefinition) -> Void) -> PathRules.Problem? {
      var configuration = Configuration()
      configuration.library.roots = [MusicRoot(id: "main", path: top + "/media")]
      var station = StationDefinition(id: "a", upstream: [])
      change(&station)
      return PathRules(configuration, data: data).problem(of: station, isRemote: true)
    }
    for (path, isRight) in [
      ("/media", true), ("/media/shows", true), ("/media/out", false), ("/elsewhere", false),
      ("/media/none", false),
    ] {
      let found = problem { $0.source = .programme(Programme(playing: .folder(top + path))) }
      #expect((found == nil) == isRight, "\(path)")
      #expect(found == nil || found?.message.hasSuffix("library: roots: name") == true)
    }
    let file = problem { $0.fallback = .file(top + "/media/loop.mp3") }
    #expect(file?.isForbidden == true)
  }

  @Test func `no root is in the data folder, and a folder of recordings is none of its own`() {
    var configuration = Configuration()
    let paths = ["/data", "/data/stations", "/data/recordings", "/data2", "/media", ""]
    configuration.library.roots = paths.map { MusicRoot(id: "a", path: top + $0) }
    let problems = configuration.pathProblems(data: data)
    #expect(problems.map(\.key) == ["library.roots[0].path", "library.roots[1].path"])
    #expect(problems.allSatisfy { $0.message.contains("is in the data folder") })
    #expect(configuration.rootProblems.map(\.root) == ["a"])
    #expect(configuration.rootProblems[0].text.contains("/data2: No such file"))
  }
}
