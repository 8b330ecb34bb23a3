import ArgumentParser
import Longwave
import LongwaveAPI

/// The data folder and the addresses, for every command that runs a relay.
struct RunOptions: ParsableArguments {
  @Option(help: "The data folder (LONGWAVE_DATA).")
  var data: String?

  @Option(
    help: ArgumentHelp("Where to listen; may be given several times.", valueName: "host:port"))
  var listen: [String] = []

  func relayOptions() throws -> RelayOptions {
    try RelayOptions(data: data, listen: listen, interface: .http)
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
      SIGTERM and SIGINT stop it cleanly; a second one stops it at once. SIGHUP reads the configuration again;
      listeners of stations that stay notice nothing.

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
      "Standard input is WAV, or a sound input: encodes it to MP3 of so many kbit/s.",
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
    try await RelayService.run(configuration, options) { await $0.announce() }
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
    try await RelayService.run(configuration, options) { await $0.announce() }
    await studio.stop()
  }
}

extension Relay {
  /// Prints the addresses to open.
  func announce() async {
    Terminal.write("data    \(dataPath)")
    if await webSettings().isEnabled { Terminal.write("page    \(url(of: ""))") }
    for id in stationIDs { Terminal.write("listen  \(url(of: id))") }
    for address in shoutcastAddresses { Terminal.write("sources \(address) (SHOUTcast 1)") }
    if stationIDs.isEmpty {
      Terminal.write("listen  \(url(of: ""))")
      Terminal.write("        no stations yet: longwave station add ID URL --data \(dataPath)")
    }
  }
}
