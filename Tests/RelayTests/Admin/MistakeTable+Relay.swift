// Mistakes that a relay, or its absence, makes known.
extension Mistake {
  static let servers: [Mistake] = [
    .failure(
      ["station", "list", "--data", "{free}"], 69,
      "no longwave runs on {free}; start one (longwave serve), or name another (--data or "
        + "--server)"),
    .failure(
      ["station", "list", "--server", "http://127.0.0.1:1"], 69,
      "cannot reach http://127.0.0.1:1: cannot connect: Connection refused; check the port, and "
        + "that longwave runs there"),
    .failure(
      ["listener", "list", "--server", "http://{at}", "--token", "another-token"], 1,
      "the admin token is wrong: http://{at} has another one under admin: {token: …}; set "
        + "LONGWAVE_TOKEN, or give --token-file FILE"),
    .failure(
      ["listener", "list", "--server", "http://{at}"], 1,
      "http://{at} wants its admin token: set LONGWAVE_TOKEN, or give --token-file FILE"),
    .failure(
      ["station", "list", "--server", "https://{at}"], 1,
      "cannot reach https://{at}: the server answers without TLS; write http://{at}"),
    .failure(
      ["station", "list", "--server", "http://{away}"], 1,
      "http://{away} leads elsewhere (301); write https://{away}"),
    .usage(
      ["station", "list", "--server", "ftp://radio.example.org"],
      "--server: \"ftp://radio.example.org\" is not the URL of a server such as "
        + "https://radio.example.org", help: "station list"),
    .usage(
      ["station", "list", "--token", "a", "--token-file", "b"],
      "Give --token or --token-file, not both", help: "station list"),
  ]

  static let stations: [Mistake] = [
    .refusal(["station", "show", "jaz"], "there is no station \"jaz\"; did you mean jazz?"),
    .refusal(["stats", "jaz"], "there is no station \"jaz\"; did you mean jazz?"),
    .refusal(["clip", "jaz", "--from", "-1m"], "there is no station \"jaz\"; did you mean jazz?"),
    .refusal(["events", "jaz"], "there is no station \"jaz\"; did you mean jazz?"),
    .refusal(["meter", "jaz"], "there is no station \"jaz\"; did you mean jazz?"),
    .refusal(["record", "start", "rok"], "there is no station \"rok\"; did you mean rock?"),
    .refusal(["listener", "list", "jaz"], "there is no station \"jaz\"; did you mean jazz?"),
    .refusal(
      ["station", "stop", "classical"],
      "there is no station \"classical\"; longwave station list shows them"),
    .refusal(
      ["station", "announce", "jaz", "So What"], "there is no station \"jaz\"; did you mean jazz?"),
    .refusal(
      ["station", "edit", "jazz", "--name", "Jazz"],
      "jazz is written in {data}/longwave.yml:4: it cannot be changed by command."),
    .refusal(["listener", "kick", "5"], "There is no listener 5."),
    .refusal(
      ["listener", "unban", "192.0.2.1"],
      "There is no ban 192.0.2.1; `longwave listener bans` lists the bans."),
    .usage(
      ["relay", "example.org/jazz"],
      "\"example.org/jazz\" is not a URL that begins with http:// or https://; did you mean "
        + "http://example.org/jazz?", help: "relay"),
    .usage(
      ["relay", "http://example.org:99999/jazz"],
      "\"http://…/jazz\" has the port 99999; a port is a number from 1 to 65535", help: "relay"),
    .usage(
      ["relay", "alsa:default"], "a sound input is encoded; write --encode 192", help: "relay"),
    .usage(
      ["relay", "http://example.org/jazz", "--encode", "64"],
      "--encode goes with -, standard input, whose WAV is encoded, and with alsa:DEVICE",
      help: "relay"),
    .usage(
      ["station", "add", "desk", "alsa:default"],
      "alsa: records on the relay's machine, so it is taken from the configuration file only; write "
        + "the station there", help: "station add"),
    .usage(
      ["station", "add", "a", "--encode", "64"],
      "--encode needs --of, the station that is encoded anew", help: "station add"),
  ]

  static let values: [Mistake] = [
    .value(
      ["station", "add", "Jazz!", "http://127.0.0.1:1/x"],
      "id: \"Jazz!\" has a character other than a-z, 0-9, - _ and .; write 1 to 64 of a-z 0-9 - _ . "
        + "that begin with a letter or digit", help: "station add"),
    .value(
      ["station", "add", "a", "example.org/jazz"],
      "url: \"example.org/jazz\" is not a URL that begins with http:// or https://, or push: for a "
        + "source that connects here; did you mean http://example.org/jazz?", help: "station add"),
    .value(
      ["station", "add", "a", "http://example.org:99999/x"],
      "url: \"http://…/x\" has the port 99999; a port is a number from 1 to 65535",
      help: "station add"),
    .value(
      ["station", "add", "a", "push:"],
      "--source-password-file: is missing; a station with push: among its upstreams needs one",
      help: "station add"),
    .value(
      ["station", "add", "a", "push:", "--source-password", "short"],
      "--source-password: must be 8 to 256 printable ASCII characters without blanks, or \"\" for "
        + "none", help: "station add"),
    .value(
      ["station", "add", "a", "--of", "jazz", "--encode", "77"],
      "--encode: is 77; MP3 has 8, …, 320 kbit/s", help: "station add"),
    .value(
      ["station", "add", "a", "http://127.0.0.1:1/x", "--window", "99999h"],
      "--window: 99999h is out of range; write 0s to 366d", help: "station add"),
    .value(
      ["station", "add", "a", "http://127.0.0.1:1/x", "--burst", "1q"],
      "--burst: \"1q\" is not a duration; write 90s, 5m or 1h30m", help: "station add"),
    .value(
      ["station", "add", "a", "http://127.0.0.1:1/x", "--behind", "shfit"],
      "--behind: \"shfit\" is unknown; did you mean shift?", help: "station add"),
    .value(
      ["station", "add", "a", "https://127.0.0.1:1/x", "--ca-file", "{folder}/none"],
      "--ca-file: {folder}/none: No such file or directory; name a file that is there",
      help: "station add"),
    .value(
      ["station", "add", "a", "--files", "{folder}/none"],
      "--files: {folder}/none: No such file or directory; make the folder, or write where it is",
      help: "station add"),
    .value(
      ["station", "add", "a", "http://127.0.0.1:1/x", "--fallback", "noise"],
      "--fallback: \"noise\" is not silence, station:ID, or file: and a path such as "
        + "file:/srv/loop.mp3; did you mean station:noise?", help: "station add"),
    .value(
      ["record", "start", "jazz", "--for", "1q"],
      "--for: \"1q\" is not a duration; write 90s, 5m or 1h30m", help: "record start"),
    .value(
      ["events", "--kinds", "statte"],
      "--kinds: \"statte\" is no kind of events; did you mean state?", help: "events"),
    .value(
      ["events", "--kinds", "bogus"],
      "--kinds: \"bogus\" is no kind of events; write state, …", help: "events"),
    .value(
      ["listener", "ban", "192.0.2.1/99"],
      "address: \"192.0.2.1/99\" is not an address or a range of them, such as 192.0.2.7, "
        + "10.0.0.0/8 or 2001:db8::/32", help: "listener ban"),
    .value(
      ["listener", "ban", "192.0.2.1", "--for", "1q"],
      "--for: \"1q\" is not a duration; write 90s, 5m or 1h30m", help: "listener ban"),
    .value(
      ["clip", "jazz", "--from", "yesterday"],
      "--from: \"yesterday\" is not a time such as 2026-11-20T18:00:00Z, Unix seconds, 18:00, or "
        + "-10m before now",
      help: "clip"),
  ]
}
