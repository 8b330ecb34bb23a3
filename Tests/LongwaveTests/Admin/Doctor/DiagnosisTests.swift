import Reactor
import Testing
import Threads

@testable import Longwave
@testable import LongwaveAdmin

@Suite struct DiagnosisTests {
  /// A machine with nothing to say about it.
  private var healthy: MachineFacts {
    var facts = MachineFacts()
    facts.files = FileBudget(openFiles: 524_288)
    facts.filesLeast = 54
    facts.listenersMax = 100_000
    facts.ports = ["0.0.0.0:8000": .free]
    facts.data = .init(path: "/srv/radio", bytesFree: 100_000_000_000)
    facts.diskNeeded = 1_000_000_000
    facts.diskLimit = 20_000_000_000
    facts.recordings = .init(path: "/srv/radio/recordings", bytesFree: 100_000_000_000)
    facts.recordingsLimit = 20_000_000_000
    facts.libraries = ["libcurl": "8.14.1"]
    facts.certificates = .init(place: "/etc/ssl/certs/ca-certificates.crt", count: 140)
    facts.clock = .init(now: 1_800_000_000, isSynchronised: true)
    facts.backlogMax = 4096
    facts.hasIPv6 = true
    return facts
  }

  private static func certificate(until end: Int64) -> TLSCertificate {
    TLSCertificate(file: "/c.pem", validFrom: 0, validUntil: end)
  }

  private static let refusal = MachineFacts.Refusal(path: "/x", reason: "no", advice: "look")

  private func findings(_ change: (inout MachineFacts) -> Void) -> [Finding] {
    var facts = healthy
    change(&facts)
    return Diagnosis.findings(of: facts)
  }

  @Test func `a machine that is fit is ok in every line`() {
    let found = findings { $0.names = [.init(host: "a.example", addresses: ["192.0.2.1"])] }
    #expect(found.allSatisfy { $0.level == .ok && $0.advice == nil })
    #expect(
      found.map(\.subject) == [
        "open files", "port", "data", "starts", "disk", "recordings", "library", "certificates",
        "clock",
        "kernel", "IPv6",
        "name",
      ])
  }

  @Test func `a programme is warned about that has no music, or makes more than there is room for`()
  {
    func found(_ change: (inout MusicForecast) -> Void) -> Finding? {
      var music = MusicForecast("night")
      change(&music)
      return findings {
        ($0.music, $0.madeLimit) = ([music], 5_000_000_000)
      }.first { $0.subject == "programme" }
    }
    let empty = found { _ in }
    #expect(empty?.level == .warn && empty?.text.contains("/night plays 0 tracks") == true)
    let large = found { ($0.tracks, $0.made, $0.madeBytes) = (9, 9, 6_000_000_000) }
    #expect(large?.level == .warn && large?.text.contains("made again and again") == true)
    let fine = found {
      ($0.tracks, $0.asTheyAre, $0.left, $0.firstLeft) = (9, 9, 1, "x.mp3 is empty")
    }
    #expect(fine?.level == .ok && fine?.text.hasSuffix("1 left out: x.mp3 is empty") == true)
    let late = found { $0.isWhole = false }
    #expect(late?.level == .ok)
  }

  @Test func `a machine without libavcodec is told what that costs, and is fit`() {
    let found = findings { $0.decoderMissing = "aac needs it. Install it." }
    #expect(found.allSatisfy { $0.level == .ok })
    #expect(found.contains { $0.text == "only MP3 is decoded: aac needs it. Install it." })
  }

  private typealias Case = (
    level: Finding.Level, subject: String, words: String, change: (inout MachineFacts) -> Void
  )

  @Test func `a fault of the machine is told with what to do`() {
    let cases: [Case] = [
      (.warn, "open files", "LimitNOFILE=100300", { $0.files.openFiles = 1024 }),
      (.fail, "open files", "LimitNOFILE=1024", { $0.files.openFiles = 40 }),
      (.fail, "port", "ss -ltnp", { $0.ports["0.0.0.0:8000"] = .taken }),
      (.fail, "port", "another port", { $0.ports["0.0.0.0:8000"] = .otherRelay }),
      (.fail, "port", "address of this machine", { $0.ports["0.0.0.0:8000"] = .refused("no") }),
      (.warn, "port", "sudo -u", { $0.ports["0.0.0.0:8000"] = .someRelay("no") }),
      (.fail, "data", "--data", { $0.data.refusal = Self.refusal }),
      (.warn, "database", "then delete it", { $0.damagedDatabases = ["/srv/longwave.db.1.bad"] }),
      (.warn, "data", "on a disk", { $0.data.isVolatile = true }),
      (.warn, "data", "chmod 700 /srv/radio", { $0.data.isOpenToOthers = true }),
      (.fail, "disk", "larger disk", { $0.data.bytesFree = 999_999_999 }),
      (.fail, "disk", "df -i", { $0.data.filesFree = 3 }),
      (.warn, "disk", "raise timeshift", { $0.diskNeeded = 30_000_000_000 }),
      (.warn, "recordings", "recordings: folder", { $0.recordings.refusal = Self.refusal }),
      (.warn, "recordings", "write keep:", { $0.recordingsWeekly = 1_000_000 }),
      (.warn, "recordings", "raise recordings", { $0.recordingsNeeded = 30_000_000_000 }),
      (
        .fail, "recordings", "another disk",
        { ($0.recordings.bytesFree, $0.recordings.volume, $0.recordingsNeeded) = (1, 7, 2e9) }
      ),
      (.fail, "library", "--reinstall", { $0.libraries["sqlite"] = .some(nil) }),
      (.fail, "certificates", "ca-certificates", { $0.certificates.count = 0 }),
      (.warn, "certificates", "ca-file", { $0.certificates.place = nil }),
      (
        .warn, "tls", "renew the certificate",
        { $0.tls = .init(certificates: [Self.certificate(until: 1_800_000_000 + 13 * 86400)]) }
      ),
      (
        .fail, "tls", "renew the certificate",
        { $0.tls = .init(certificates: [Self.certificate(until: 1_700_000_000)]) }
      ),
      (
        .warn, "tls", "modprobe tls",
        {
          $0.tls = .init(
            certificates: [Self.certificate(until: 1_900_000_000)], asksKernel: true)
        }
      ),
      (.fail, "clock", "timedatectl", { $0.clock.now = 86_400 }),
      (.warn, "clock", "chrony", { $0.clock.isSynchronised = false }),
      (.warn, "kernel", "sysctl", { $0.backlogMax = 128 }),
      (.fail, "name", "resolv.conf", { $0.names = [.init(host: "x", problem: "unknown")] }),
    ]
    for (level, subject, words, change) in cases {
      let wrong = findings(change).filter { $0.level != .ok }
      #expect(wrong.map(\.level) == [level] && wrong.map(\.subject) == [subject], "\(words)")
      #expect(wrong.first?.advice?.contains(words) == true, "\(wrong)")
    }
  }

  @Test func `a disk without room is not fit for recordings`() {
    let disk = MachineFacts.Folder(path: "/srv/recordings", bytesFree: 0, volume: 7)
    let found = findings { $0.recordings = disk }.filter { $0.subject == "recordings" }
    #expect(found.map(\.level) == [.warn] && found[0].text.hasPrefix("0 B free"), "\(found)")
    let planned = findings { ($0.recordings, $0.recordingsWeekly) = (disk, 1) }
    #expect(planned.filter { $0.subject == "recordings" }.map(\.level) == [.fail])
  }

  @Test func `the number of possible listeners is what the running relay says`() {
    let found = findings { ($0.isRunning, $0.listenersPossible) = (true, 321) }
    #expect(found[0].level == .warn && found[0].text.contains(": 321 listeners"), "\(found[0])")
  }

  @Test func `a relay whose configuration is not named is judged by no setting`() {
    var facts = healthy
    (facts.isRunning, facts.isConfigured, facts.listenersPossible) = (true, false, 500)
    (facts.diskNeeded, facts.recordings.refusal) = (1e18, Self.refusal)
    let found = Diagnosis.findings(of: facts)
    #expect(found.allSatisfy { $0.level == .ok }, "\(found)")
    #expect(found[0].text.hasSuffix("for the relay that runs: 500 listeners at once"))
    #expect(found.contains { $0.subject == "disk" && !$0.text.contains("windows") })
    let named = DoctorReport.named(nil, facts)
    #expect(named.level == .ok && named.advice?.contains("--config FILE") == true)
    #expect(DoctorReport.named(nil, healthy).text == "none: the built-in values")
  }

  @Test
  func `the threads of the relay that runs are listed, and lanes where work waits are told of`() {
    let found = findings { $0.threads = Sample.threads }.filter { $0.subject == "threads" }
    #expect(found.map(\.level) == [.ok, .warn])
    #expect(found.first?.text == "ingest, 2 loop")
    #expect(found.last?.text == "2 of 2 for passwords are busy, and 5 works wait")
    #expect(!findings { _ in }.contains { $0.subject == "threads" })
  }

  @Test func `doctor reads the figures of threads that a relay tells`() {
    #expect(ThreadFigures(Sample.figures.json) == Sample.threads)
    #expect(ThreadFigures(["version": "0.9.0"]) == nil)
  }

  @Test func `disk that the windows use already is not needed again`() {
    let found = findings {
      $0.data.bytesFree = 300_000_000
      $0.data.bytesUsed = 800_000_000
    }
    #expect(found.allSatisfy { $0.level == .ok })
  }

  @Test func `a port that is served by the relay of this data is as it should be`() {
    #expect(findings { $0.ports["0.0.0.0:8000"] = .ours }.allSatisfy { $0.level == .ok })
  }

  @Test func `the lines are for people, and for programs the same`() {
    let report = DoctorReport(
      findings: [
        Finding(.ok, "clock", "fine"), Finding(.fail, "port", "bad\u{1B}", advice: "do this"),
      ])
    #expect(
      report.text(isColored: false)
        == "ok    clock          fine\nfail  port           bad\u{FFFD}\n                     do this\n"
    )
    #expect(report.text(isColored: true).contains("\u{1B}[31mfail\u{1B}[0m"))
    #expect(report.hasFailures)
    #expect(
      report.json["findings"] == [
        ["level": "ok", "subject": "clock", "text": "fine", "advice": nil],
        ["level": "fail", "subject": "port", "text": "bad\u{1B}", "advice": "do this"],
      ])
  }
}
