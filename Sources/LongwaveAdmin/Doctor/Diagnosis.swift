import Foundation
import Longwave
import Reactor
import Server
import Store
import Threads

/// Judges the facts of a machine for a relay, and advises. Pure: `MachineProbe` collects the facts.
enum Diagnosis {
  static func findings(of facts: MachineFacts) -> [Finding] {
    let machine =
      [openFiles(facts)] + ports(facts) + [folder(facts.data)]
      + (facts.data.isSilent ? [] : [starts(facts), disk(facts)])
      + (facts.isConfigured ? [recordings(facts)] : []) + facts.silent.map(silent)
      + facts.damagedDatabases.map(damaged) + facts.programs.map(program)
      + facts.roots.map(root) + facts.music.map { programme($0, facts.madeLimit) }
      + libraries(facts) + [certificates(facts.certificates)]
      + (facts.tls.map { tls($0, facts.clock) } ?? [])
      + [clock(facts.clock), backlog(facts), ipv6(facts)]
    let relay = facts.threads.map(threads) ?? []
    return machine + relay + (facts.names ?? []).map(name)
  }

  private static func openFiles(_ facts: MachineFacts) -> Finding {
    let possible = facts.listenersPossible ?? facts.files.listenersPossible
    let limit = "\(facts.files.openFiles)\(facts.isRunning ? " for the relay that runs" : "")"
    if !facts.isConfigured {
      return Finding(.ok, "open files", "\(limit): \(possible) listeners at once")
    }
    if facts.files.openFiles < facts.filesLeast {
      return Finding(
        .fail, "open files",
        "\(limit): a relay needs \(facts.filesLeast) at least, and does not start",
        advice: "raise the hard limit (ulimit -Hn, or LimitNOFILE=1024 in the unit of systemd), or "
          + "lower server: threads")
    }
    if possible >= facts.listenersMax {
      return Finding(
        .ok, "open files", "\(limit): enough for \(facts.listenersMax) listeners")
    }
    let needed = facts.files.needed(listeners: facts.listenersMax)
    return Finding(
      .warn, "open files",
      "\(limit): \(possible) listeners, while \(facts.listenersMax) are configured",
      advice: "raise the hard limit to \(needed) (ulimit -Hn, or LimitNOFILE=\(needed) in the "
        + "unit of systemd), or lower server: max-listeners")
  }

  private static func ports(_ facts: MachineFacts) -> [Finding] {
    facts.ports.sorted { $0.key < $1.key }.map { address, port in
      switch port {
      case .free: Finding(.ok, "port", "\(address) is free")
      case .ours: Finding(.ok, "port", "\(address) is served by the longwave that runs here")
      case .otherRelay:
        Finding(
          .fail, "port", "\(address) is taken by a longwave on another data folder",
          advice: "stop that one, or give this one another port (server: listen)")
      case .someRelay(let reason):
        Finding(
          .warn, "port",
          "\(address) is served by a longwave; whether on this data folder cannot be told: \(reason)",
          advice: "ask as the user it runs as (sudo -u)")
      case .taken:
        Finding(
          .fail, "port", "\(address) is taken by another program",
          advice: "find it with: ss -ltnp; stop it, or choose another port (server: listen)")
      case .refused(let reason):
        Finding(
          .fail, "port", "\(address) cannot be opened: \(reason)",
          advice: "choose an address of this machine and a port from 1024 on (server: listen)")
      }
    }
  }

  private static func threads(_ figures: ThreadFigures) -> [Finding] {
    let kinds = figures.kinds.map { $0.count > 1 ? "\($0.count) \($0.name)" : $0.name }
    let full = figures.lanes.filter { $0.waiting > 0 }
    return [Finding(.ok, "threads", kinds.joined(separator: ", "))]
      + full.map { lane in
        Finding(
          .warn, "threads",
          "\(lane.busy) of \(lane.limit) for \(lane.name) are busy, and \(lane.waiting) works wait",
          advice: "run doctor again; if they still wait, a disk or a server does not answer")
      }
  }

  private static func silent(_ path: String) -> Finding {
    Finding(.fail, "folder", "\(path): \(SilentFolders.reason)", advice: SilentPath.advice)
  }

  private static func damaged(_ path: String) -> Finding {
    Finding(
      .warn, "database", "a damaged one was set aside as \(path)",
      advice: "look whether stations, bans or recordings are missing, then delete it")
  }

  private static func program(_ problem: String) -> Finding {
    Finding(
      .fail, "command", problem, advice: "install it, or write its path in the station's command:")
  }

  private static func root(_ problem: String) -> Finding {
    Finding(
      .warn, "library", problem,
      advice: "what is known of it stays; the relay looks again by itself")
  }

  private static func programme(_ music: MusicForecast, _ room: UInt64) -> Finding {
    let words = "/\(music.station) \(music.words(room: room))"
    if music.isWhole, music.tracks == 0 {
      return Finding(
        .warn, "programme", words,
        advice: "put music into its folders; until then it plays its fallback, or waits")
    }
    if music.madeBytes > room {
      return Finding(
        .warn, "programme", words, advice: "raise cache: renditions:, or name another format:")
    }
    return Finding(.ok, "programme", words)
  }

  private static func starts(_ facts: MachineFacts) -> Finding {
    if facts.isSafe {
      return Finding(
        .fail, "starts",
        "the relay runs without recordings, schedules, sessions and the stations added last: it died "
          + "within a minute of each of its \(facts.deaths) starts before",
        advice:
          "start, change or remove the stations left out (longwave station list), then restart the relay"
      )
    }
    guard facts.deaths > 0 else { return Finding(.ok, "starts", "none has ended before its time") }
    return Finding(
      .warn, "starts",
      "the relay died within a minute of each of its last \(facts.deaths) starts",
      advice:
        "look at its log; after \(StartLedger.deathsMax) it starts without what was added last")
  }

  private static func folder(_ data: MachineFacts.Folder) -> Finding {
    if let refusal = data.refusal {
      return Finding(
        .fail, "data",
        data.isSilent
          ? "\(refusal.path): \(refusal.reason)"
          : "\(refusal.path) cannot be written: \(refusal.reason)",
        advice: "\(refusal.advice), or choose another folder (server: data, --data)")
    }
    if data.isVolatile {
      return Finding(
        .warn, "data", "\(data.path) is in memory: a restart of the machine empties it",
        advice: "choose a folder on a disk (server: data, --data)")
    }
    if data.isOpenToOthers {
      return Finding(
        .warn, "data", "\(data.path) is open to every user of this machine",
        advice: "chmod 700 \(data.path)")
    }
    return Finding(.ok, "data", "\(data.path) can be written")
  }

  /// The least free bytes: room for the database and the first minutes of a window.
  private static let bytesLeast: UInt64 = 16_000_000

  /// The least files that can still be made: those of the database, the lock and the first segments.
  private static let filesLeast: UInt64 = 16

  private static func disk(_ facts: MachineFacts) -> Finding {
    let wanted = min(facts.diskNeeded, facts.diskLimit)
    let missing = wanted - Double(facts.data.bytesUsed)
    let free = HumanText.bytes(Double(facts.data.bytesFree))
    let text = "\(free) free; the windows need \(HumanText.bytes(wanted))"
    if facts.data.bytesFree < Self.bytesLeast {
      return Finding(
        .fail, "disk",
        "\(free) free on the disk of \(facts.data.path): nothing can be kept, and the relay would "
          + "live in memory",
        advice: "make room there, or choose a folder on another disk (server: data, --data)")
    }
    if let files = facts.data.filesFree, files < Self.filesLeast {
      return Finding(
        .fail, "disk",
        "\(files) files more can be made on the disk of \(facts.data.path), whatever room it has: windows "
          + "end up in memory, and the socket longwave.sock cannot be made",
        advice:
          "delete files there (df -i), or choose a folder on another disk (server: data, --data)")
    }
    if !facts.isConfigured { return Finding(.ok, "disk", "\(free) free") }
    if missing > Double(facts.data.bytesFree) {
      return Finding(
        .fail, "disk", text,
        advice: "shorten timeshift: window, lower timeshift: disk-limit, or use a larger disk")
    }
    if facts.diskNeeded > facts.diskLimit {
      return Finding(
        .warn, "disk",
        "\(HumanText.bytes(facts.diskNeeded)) needed for all windows, "
          + "\(HumanText.bytes(facts.diskLimit)) allowed: the oldest is given up first",
        advice: "raise timeshift: disk-limit, or shorten timeshift: window")
    }
    return Finding(.ok, "disk", text)
  }

  private static func recordings(_ facts: MachineFacts) -> Finding {
    let (folder, needed) = (facts.recordings, facts.recordingsNeeded)
    let isPlanned = needed > 0 || facts.recordingsWeekly > 0
    if let refusal = folder.refusal {
      return Finding(
        isPlanned ? .fail : .warn, "recordings",
        folder.isSilent
          ? "\(refusal.path): \(refusal.reason)"
          : "\(refusal.path) cannot be written: \(refusal.reason)",
        advice: "\(refusal.advice), or choose another folder (recordings: folder)")
    }
    let text =
      "\(folder.path) can be written, \(HumanText.bytes(Double(folder.bytesFree))) free"
      + (isPlanned ? "; schedules need \(HumanText.bytes(needed))" : "")
    let windows = min(facts.diskNeeded, facts.diskLimit)
    let isFull = ConfigurationReport.Folders(data: facts.data, recordings: folder)
      .missing(windows: windows, recordings: min(needed, facts.recordingsLimit))
    if needed > 0, isFull > 0 {
      return Finding(
        .fail, "recordings", text + ", beside the windows",
        advice: "lower keep: in record:, or use another disk (recordings: folder)")
    }
    if folder.bytesFree < Self.bytesLeast {
      return Finding(
        isPlanned ? .fail : .warn, "recordings",
        "\(HumanText.bytes(Double(folder.bytesFree))) free on the disk of \(folder.path): a recording "
          + "would wait for room",
        advice: "make room there, or choose another folder (recordings: folder)")
    }
    if needed > facts.recordingsLimit {
      return Finding(
        .warn, "recordings", text + "; \(HumanText.bytes(facts.recordingsLimit)) are allowed",
        advice: "raise recordings: disk-limit, or lower keep: in record:")
    }
    if facts.recordingsWeekly > 0 {
      return Finding(
        .warn, "recordings",
        text + ", and \(HumanText.bytes(facts.recordingsWeekly)) more every week for ever",
        advice: "write keep: in record:, so that old recordings are deleted")
    }
    return Finding(.ok, "recordings", text)
  }

  private static func libraries(_ facts: MachineFacts) -> [Finding] {
    // Whoever wants no levels or samples needs no more.
    let missing = facts.decoderMissing.map {
      Finding(.ok, "library", "only MP3 is decoded: \($0)")
    }
    return facts.libraries.sorted { $0.key < $1.key }.map { name, version in
      guard let version else {
        return Finding(
          .fail, "library", "\(name) does not answer",
          advice: "install it again: apt-get install --reinstall \(name)")
      }
      return Finding(.ok, "library", "\(name) \(version)")
    } + (missing.map { [$0] } ?? [])
  }

  private static func certificates(_ certificates: MachineFacts.Certificates) -> Finding {
    let advice = "apt-get install ca-certificates, or name a file by upstream: ca-file"
    guard let place = certificates.place else {
      return Finding(
        .warn, "certificates", "libcurl names no file of certificates; https may fail",
        advice: advice)
    }
    guard certificates.count > 0 else {
      return Finding(
        .fail, "certificates", "\(place) has none: no https upstream can be pulled",
        advice: advice)
    }
    return Finding(.ok, "certificates", "\(certificates.count) in \(place)")
  }

  private static func tls(_ tls: MachineFacts.TLS, _ clock: MachineFacts.Clock) -> [Finding] {
    // Faults of the files are already reported as problems of the configuration.
    if tls.certificates.isEmpty { return [] }
    var findings: [Finding] = []
    let advice = "renew the certificate; the relay loads it within a minute and ends no connection"
    for certificate in tls.certificates {
      if let concern = certificate.concern(now: Date(timeIntervalSince1970: clock.now)) {
        findings.append(
          Finding(concern.isOver ? .fail : .warn, "tls", concern.text, advice: advice))
      } else {
        let end = certificate.untilText
        findings.append(Finding(.ok, "tls", "\(certificate.file) is good until \(end)"))
      }
    }
    if tls.asksKernel, !tls.hasKernel {
      findings.append(
        Finding(
          .warn, "tls", "the kernel does not encrypt: the relay does it itself",
          advice: "modprobe tls, if the kernel has it; or leave out server: tls: kernel"))
    } else {
      let words = tls.hasKernel ? "the kernel can encrypt" : "the kernel cannot encrypt"
      findings.append(Finding(.ok, "tls", "\(words)\(tls.asksKernel ? ", and is asked to" : "")"))
    }
    return findings
  }

  /// The earliest credible time, 2026-01-01 in Unix seconds; no program of this version ran before.
  private static let earliest = 1_767_225_600.0

  private static func clock(_ clock: MachineFacts.Clock) -> Finding {
    let time = Date(timeIntervalSince1970: clock.now).formatted(.iso8601)
    if clock.now < earliest {
      return Finding(
        .fail, "clock", "the clock says \(time): certificates fail, and ?at= means nothing",
        advice: "set the clock (timedatectl set-ntp true)")
    }
    if clock.isSynchronised == false {
      return Finding(
        .warn, "clock", "\(time), and nothing keeps the clock right",
        advice: "timedatectl set-ntp true, or install chrony")
    }
    return Finding(.ok, "clock", time)
  }

  /// The backlog that the server requests; the kernel uses the smaller of this and its own limit.
  private static let backlogWanted = 4096

  private static func backlog(_ facts: MachineFacts) -> Finding {
    guard let most = facts.backlogMax else {
      return Finding(.ok, "kernel", "net.core.somaxconn cannot be read here")
    }
    if most >= backlogWanted { return Finding(.ok, "kernel", "net.core.somaxconn \(most)") }
    return Finding(
      .warn, "kernel",
      "net.core.somaxconn \(most): some listeners of a sudden crowd are turned away",
      advice: "sysctl -w net.core.somaxconn=\(backlogWanted), and the same in /etc/sysctl.d")
  }

  private static func ipv6(_ facts: MachineFacts) -> Finding {
    facts.hasIPv6
      ? Finding(.ok, "IPv6", "an address of this machine can be reached by others")
      : Finding(
        .ok, "IPv6", "none but local addresses: listeners and upstreams are reached by IPv4")
  }

  private static func name(_ name: MachineFacts.Name) -> Finding {
    if let problem = name.problem {
      return Finding(
        .fail, "name", "\(name.host): \(problem)",
        advice: "check the name of the upstream, and /etc/resolv.conf")
    }
    return Finding(.ok, "name", "\(name.host) is \(name.addresses.joined(separator: ", "))")
  }
}
