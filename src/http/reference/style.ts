/** Style sheet of the reference page: light or dark according to the reader's setting, one column if narrow. */
export const REFERENCE_STYLE = `
:root{color-scheme:light dark;--ink:#1b2430;--soft:#566173;--line:#dde3ea;--paper:#fff;--panel:#f5f7f9;--code:#eef2f5;--link:#0b5f8a;--accent:#0f766e;--get:#0b5f8a;--post:#1a7340;--patch:#8a5a00;--delete:#b02a2a}
@media(prefers-color-scheme:dark){:root{--ink:#e4e9ef;--soft:#9dabba;--line:#2c3743;--paper:#11171d;--panel:#182028;--code:#1f2933;--link:#74c2ec;--accent:#4fd1c0;--get:#74c2ec;--post:#6fd08c;--patch:#e3b566;--delete:#f19191}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;display:grid;grid-template-columns:18rem minmax(0,1fr)}
a{color:var(--link);text-decoration-thickness:1px;text-underline-offset:2px}
a:focus-visible,summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:2px}
.skip{position:absolute;left:-100rem}.skip:focus{left:1rem;top:1rem;background:var(--paper);padding:.5rem 1rem;z-index:1}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;padding:1.5rem 1rem 3rem 1.5rem;background:var(--panel);border-right:1px solid var(--line);font-size:.875rem}
nav .brand{font-size:1.05rem;font-weight:650;letter-spacing:-.01em}nav .brand small{display:block;color:var(--soft);font-weight:400;font-size:.8rem}
nav h2{font-size:.72rem;border:0;padding:0;text-transform:uppercase;letter-spacing:.07em;color:var(--soft);margin:1.4rem 0 .35rem}
nav ul{list-style:none;margin:0;padding:0}nav li{margin:0}nav a{display:flex;gap:.5rem;align-items:baseline;padding:.2rem 0;color:inherit;text-decoration:none}nav a:hover{color:var(--link);text-decoration:underline}
nav .verb{flex:0 0 2.6rem;font-size:.62rem}nav .path{overflow-wrap:break-word;min-width:0}
main{padding:2.5rem clamp(1rem,4vw,4rem) 6rem;max-width:84rem;min-width:0}
h1{font-size:2rem;line-height:1.2;letter-spacing:-.02em;margin:0 0 .3rem}
h2{font-size:1.4rem;letter-spacing:-.01em;margin:3.5rem 0 .6rem;padding-top:1.2rem;border-top:1px solid var(--line)}
h3{font-size:1.12rem;margin:0}h4{font-size:.78rem;text-transform:uppercase;letter-spacing:.06em;color:var(--soft);margin:1.5rem 0 .4rem}
p,ul,ol{max-width:46rem}.lead{font-size:1.1rem;color:var(--soft);margin-top:0}
article{padding:1.8rem 0 2rem;border-bottom:1px solid var(--line)}
article:last-of-type{border-bottom:0}
article>header{display:flex;flex-wrap:wrap;gap:.35rem .8rem;align-items:baseline}
.call{font:600 .95rem ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.summary{color:var(--soft)}
.verb{font:700 .74rem ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;letter-spacing:.03em}
.get{color:var(--get)}.post{color:var(--post)}.patch{color:var(--patch)}.delete{color:var(--delete)}
.two{display:grid;grid-template-columns:minmax(0,1.25fr) minmax(0,1fr);gap:0 2.5rem}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.86em}
code{background:var(--code);padding:.08em .32em;border-radius:3px;overflow-wrap:anywhere}
pre{background:var(--code);border:1px solid var(--line);border-radius:6px;padding:.8rem 1rem;overflow:auto;white-space:pre-wrap;line-height:1.45;font-size:.8rem;margin:.3rem 0 1rem;max-height:32rem}
pre code{background:none;padding:0;font-size:inherit}
.scroll{overflow-x:auto;max-width:60rem}
table{border-collapse:collapse;width:100%;font-size:.875rem;margin:.3rem 0 1rem}
th,td{text-align:left;vertical-align:top;padding:.42rem .8rem .42rem 0;border-bottom:1px solid var(--line)}
thead th{color:var(--soft);font-weight:500;font-size:.78rem}
tbody th{font-weight:500}tbody th code{overflow-wrap:normal;word-break:keep-all}.fields td:nth-child(2){color:var(--soft);min-width:6rem}.fields td:last-child{min-width:12rem}
.fields th code,.params th code{background:none;padding:0}.params td{overflow-wrap:anywhere}
.up,.opt{color:var(--soft);font-weight:400}.opt,.req{font-size:.74rem;font-style:normal}.req{color:var(--accent)}
.scopes code{color:var(--accent)}.deprecated{color:var(--delete);font-weight:600}
details{margin:.4rem 0 .8rem}summary{cursor:pointer}
.status{font-weight:600}.media{color:var(--soft);font-size:.8rem;font-weight:400;text-transform:none;letter-spacing:0}
.fails{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;margin:.3rem 0;font-size:.875rem}
.languages{border:0;margin:1rem 0 0;padding:0;display:flex;flex-wrap:wrap;gap:.2rem .8rem}.languages legend{color:var(--soft);font-size:.8rem;padding:0}
.search{margin:.8rem 0 0}.search input{width:100%;font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:6px;padding:.35rem .5rem}
.in-typescript,.in-python{display:none}
body:has(#in-typescript:checked) .in-curl,body:has(#in-python:checked) .in-curl{display:none}
body:has(#in-typescript:checked) .in-typescript,body:has(#in-python:checked) .in-python{display:block}
.try form{display:grid;gap:.5rem;margin:.5rem 0}.try label{display:grid;gap:.15rem;font-size:.8rem}.try input,.try textarea{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:6px;padding:.35rem .5rem;min-width:0}.try textarea{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;min-height:8rem}
.try button{font:inherit;justify-self:start;color:var(--paper);background:var(--accent);border:0;border-radius:6px;padding:.4rem .9rem;cursor:pointer}.try img{max-width:100%;image-rendering:pixelated}
@media(max-width:70rem){.two{display:block}}
@media(max-width:52rem){body{display:block}nav{position:static;height:auto;max-height:38vh;border-right:0;border-bottom:1px solid var(--line);padding:1rem}main{padding-top:1.5rem}h1{font-size:1.6rem}.fields td:last-child{min-width:9rem}}
@media print{nav{display:none}body{display:block}pre{max-height:none}}
`;
