// Closes what no content security policy closes, before anything else runs: WebRTC reaches any
// host, whatever `connect-src` says. The directive `webrtc 'block'` would do it, but Chromium does
// not know it and says so on its console.

const WEBRTC = [
  "RTCPeerConnection",
  "webkitRTCPeerConnection",
  "mozRTCPeerConnection",
  "RTCDataChannel",
  "RTCIceTransport",
];

for (const name of WEBRTC) Reflect.deleteProperty(globalThis, name);
