import ArgumentParser
import Library
import Longwave
import LongwaveAPI
import LongwaveAdmin

/// The data folder and the addresses, for every command that runs a relay.
struct RunOptions: ParsableArguments {
  @Option(help: "The data folder (LONGWAVE_DATA).")
  var data: String?

  @Option(
    help: ArgumentHelp(
      "Address and port to listen on; may be given several times.", valueName: "host:port"))
  var listen: [String] = []

  @Option(
    help: ArgumentHelp(
      "User to become after root's start, once ports below 1024 are open.", valueName: "name"))
  var user: String?

  func relayOptions() throws -> RelayOptions {
    var options = try RelayOptions(data: data, listen: listen, interface: .http)
    options.tagProgram = ["/proc/self/exe", TagChild.word]
    options.user = user
    return options
  }

  func validate() throws {
    do { _ = try relayOptions() } catch { throw ValidationError("\(error)") }
  }
}

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run the relay.",
    discussion: """
      Without --config it uses LONGWAVE_CONFIG, else /etc/longwave/longwave.yml if that exists, else built-in values.
      SIGTERM and SIGINT stop the relay cleanly; a second one stops it at once. Where a disk hangs it ends after 13 s all the
      same, with status 1, and the log names what was left. SIGHUP reads the configuration again; listeners of
      stations that stay notice nothing. SIGUSR1 only opens the log files anew, as a rotation wants it.
      Sockets that systemd has opened (a .socket unit) are listened on in place of those of the configuration.

      EXAMPLES
        longwave serve
        longwave serve --config longwave.yml --data /srv/radio
        longwave serve --listen 127.0.0.1:8000 --listen '[::1]:8000'
      """)

  @Option(help: ArgumentHelp("The configuration.", valueName: "file"), completion: .file())
  var config: String?

  @OptionGroup var options: RunOptions

  func run() async throws {
    let configuration = try Configuration.loadNamed(config)
    var options = try options.relayOptions()
    options.reloadConfiguration = { [config] () throws(ConfigurationError) in
      try Configuration.loadNamed(config)
    }
    try await RelayService.run(configuration, options) { await $0.announce() }
  }
}

struct RelayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "relay", abstract: "Relay one upstream now, without a configuration.",
    discussion: """
      EXAMPLES
        longwave relay https://example.org/jazz.pls
        longwave relay http://example.org:8000/stream --id jazz --listen 127.0.0.1:9000
        ffmpeg -re -i concert.flac -f mp3 - | longwave relay -
        longwave relay alsa:default --encode 192
      """)

  @Argument(
    help: ArgumentHelp(
      "The stream, or a playlist of it; - is standard input, alsa:DEVICE a sound input.",
      valueName: "url"))
  var url: String

  @Option(help: "The station's id. Default: made from the URL; input for - and alsa:.")
  var id: String?

  @Option(
    help: ArgumentHelp(
      "Encode WAV from standard input, or a sound input, to MP3 of this many kbit/s.",
      valueName: "bitrate"))
  var encode: Int?

  @OptionGroup var options: RunOptions

  private var configuration: Configuration {
    get throws { try Configuration.relaying(url, id: id, encodedAt: encode) }
  }

  func validate() throws {
    do { _ = try configuration } catch { throw ValidationError("\(error)") }
  }

  func run() async throws {
    let configuration = try configuration
    var options = try options.relayOptions()
    options.startsStopped = true
    if let note = UpstreamNote.hls(url) { Terminal.complain(note) }
    try await RelayService.run(configuration, options) { await $0.announce(isTried: true) }
  }
}

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Relay music made on this machine: no network needed.",
    discussion: """
      A small studio inside the program composes and encodes music and serves it as an upstream; a normal
      station relays it, titles, time shift and all.

      EXAMPLES
        longwave demo
        longwave demo --listen 127.0.0.1:9000 --data /tmp/demo
      """)

  @OptionGroup var options: RunOptions

  func run() async throws {
    let studio = try DemoStudio()
    let configuration = DemoStudio.configuration(pulling: try await studio.start())
    var options = try options.relayOptions()
    options.startsStopped = true
    try await RelayService.run(configuration, options) { await $0.announce(isTried: true) }
    await studio.stop()
  }
}
