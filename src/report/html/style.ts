/** Style sheet. The colours of Okabe and Ito are distinct for any colour vision; lines also differ in their pattern. */
export const STYLE = `
:root{color-scheme:light dark;--paper:#fff;--ink:#1b2026;--faint:#5c6670;--rule:#e1e5e9;--card:#f6f8fa;--shade:#bcc4cc;
--good:#00684a;--good-paper:#dff5ec;--bad:#a33a00;--bad-paper:#fdeadf;--open:#7a5200;--open-paper:#fdf1d3;--band:#d55e00;
--c1:#0072b2;--c2:#c77f00;--c3:#009e73;--c4:#d55e00;--c5:#b9709c;
--asleep:#a9b7c6;--radio:#e69f00;--transfer:#0072b2;--service:#d55e00;--device:#009e73;--awake:#009e73;--unheard:#d55e00;--starting:#f0c642;--off:#e3e8ed}
@media screen and (prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#e6eaee;--faint:#98a3ae;--rule:#2b323a;--card:#1c2228;--shade:#4a545f;
--good:#5fd3a8;--good-paper:#123429;--bad:#ff9d66;--bad-paper:#43220f;--open:#f0c75e;--open-paper:#3a2d0c;--band:#ff8a3d;
--c1:#56b4e9;--c2:#e69f00;--c3:#2cc295;--c4:#ff7d33;--c5:#a0608a;
--asleep:#56657a;--radio:#e69f00;--transfer:#56b4e9;--service:#ff7d33;--device:#2cc295;--awake:#2cc295;--unheard:#ff7d33;--starting:#e0bf4a;--off:#2a313a}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1144px;margin:0 auto;padding:24px 32px 48px}
h1{font-size:26px;line-height:1.25;margin:0;overflow-wrap:anywhere}
h2{font-size:19px;margin:40px 0 12px;padding-top:20px;border-top:1px solid var(--rule)}
h3{font-size:15px;margin:22px 0 6px}
p{margin:6px 0}
.faint,small,figcaption small{color:var(--faint);font-weight:400}
header{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;margin-bottom:8px}
.verdict{font-weight:700;padding:3px 14px;border-radius:99px;letter-spacing:.03em}
.good{color:var(--good)}.bad{color:var(--bad)}.open{color:var(--open)}
.verdict.good{background:var(--good-paper)}.verdict.bad{background:var(--bad-paper)}.verdict.open{background:var(--open-paper)}
.alarm{background:var(--bad-paper);color:var(--bad);border-left:5px solid var(--bad);padding:12px 16px;margin:0 0 20px;border-radius:4px;overflow-wrap:anywhere}
.alarm.open{background:var(--open-paper);color:var(--open);border-color:var(--open)}
.alarm strong{display:block;font-size:18px}
code{font:13px/1.5 ui-monospace,"SF Mono",Menlo,Consolas,monospace;overflow-wrap:anywhere}
pre{margin:6px 0;white-space:pre-wrap;background:var(--card);padding:8px 12px;border-radius:6px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(190px,1fr));gap:10px;margin:18px 0;padding:0;list-style:none}
.tiles a{display:block;height:100%;background:var(--card);border-radius:8px;padding:10px 14px;color:inherit;text-decoration:none}
.tiles a:hover{box-shadow:inset 0 0 0 1px var(--shade)}
.tiles b{display:block;font-size:19px;line-height:1.3;font-variant-numeric:tabular-nums}
.tiles span{color:var(--faint);font-size:13px}
.about{max-width:75ch}
nav{display:flex;flex-wrap:wrap;gap:2px 18px;font-size:14px}
nav a{color:var(--c1);padding:4px 0}
h2 a{color:inherit;text-decoration:none}h2 a:hover::after{content:" #";color:var(--faint)}
.checks td,.checks th{text-align:left;white-space:normal;vertical-align:baseline;overflow-wrap:anywhere;font-weight:400}
.checks .mark{padding-left:4px;font-weight:700;width:26px}
.checks tbody th{padding-left:0}.checks th code{color:var(--ink)}
.checks .good td:last-child{color:var(--ink);white-space:nowrap}.checks .mark{color:inherit!important}
figure{margin:22px 0 0}
figcaption{font-weight:600;margin-bottom:2px}
figcaption small{margin-left:6px}
svg{display:block;max-width:100%;height:auto;overflow:visible}
.narrow>svg{width:100%;max-width:520px}
.plot{position:relative;touch-action:pan-y;cursor:crosshair}
.cursor{position:absolute;top:0;bottom:22px;width:1px;background:var(--ink);opacity:.45;pointer-events:none}
.tip{position:absolute;top:0;z-index:2;max-width:min(340px,60%);pointer-events:none;background:var(--paper);border:1px solid var(--shade);border-radius:6px;padding:6px 10px;font-size:13px;line-height:1.45;box-shadow:0 3px 14px rgb(0 0 0/.18)}
.tip strong{display:block}
.tip div{display:flex;gap:7px;align-items:baseline}
.tip b{margin-left:auto;padding-left:12px;text-align:right;font-variant-numeric:tabular-nums}
.key{flex:none;width:9px;height:9px;border-radius:2px}.key:not([class*=" "]),.key.band{border-radius:2px}
.legend{display:flex;flex-wrap:wrap;gap:2px 18px;list-style:none;margin:2px 0 6px;padding:0;font-size:13px}
.legend li{display:flex;align-items:center;gap:6px}
.legend svg{flex:none}
.narrow{display:none}
@media screen and (max-width:760px){main{display:flex;flex-direction:column;padding:16px 14px 32px}.wide,.command{display:none}.fall .faint{display:block}.dot-before{display:none}.narrow{display:block}h1{font-size:22px}
.tiles{grid-template-columns:1fr 1fr;gap:8px;margin:10px 0}.tiles a{padding:6px 10px}.tiles b{font-size:16px}nav{gap:0 14px}h2{margin:24px 0 8px;padding-top:14px}
section,footer{order:2}#over-time,#downlinks,.urgent{order:1}
.checks tr{display:grid;grid-template-columns:24px 1fr auto;border-bottom:1px solid var(--rule)}.checks td,.checks tbody th{border:0;min-width:0}.checks .bad td:last-child,.checks .open td:last-child{grid-column:2/-1;padding-top:0}}
text{font:11.5px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;fill:var(--ink)}
.axis{fill:var(--faint);font-variant-numeric:tabular-nums}.end{text-anchor:end}.middle{text-anchor:middle}
.grid{stroke:var(--rule)}.base,.tick{stroke:var(--faint)}
.calm{fill:var(--faint);fill-opacity:.1}.different th,.different td{color:var(--bad);font-weight:600}.faster th,.faster td{color:var(--good);font-weight:600}ul.faint{padding-left:18px;margin:6px 0;overflow-wrap:anywhere}
.band{fill:var(--band);fill-opacity:.13}.edge{stroke:var(--ink);stroke-opacity:.4;stroke-dasharray:2 3}
.legend .band,.legend .off{stroke:var(--faint)}
.lens{fill:var(--faint);fill-opacity:.12}
.station{stroke:var(--ink);stroke-opacity:.55}
.line{fill:none;stroke-width:1.7;stroke-linejoin:round}.broad{stroke-width:4}.broad.dot{stroke:none}.dashed{stroke-dasharray:6 3}.dotted{stroke-dasharray:2 2.5}
.line.c1{stroke:var(--c1)}.line.c2{stroke:var(--c2)}.line.c3{stroke:var(--c3)}.line.c4{stroke:var(--c4)}.line.c5{stroke:var(--c5)}
.dot.c1{fill:var(--c1)}.dot.c2{fill:var(--c2)}.dot.c3{fill:var(--c3)}.dot.c4{fill:var(--c4)}.dot.c5{fill:var(--c5)}
.asleep{fill:var(--asleep);background:var(--asleep)}.radio{fill:var(--radio);background:var(--radio)}.transfer{fill:var(--transfer);background:var(--transfer)}.service{fill:var(--service);background:var(--service)}.device{fill:var(--device);background:var(--device)}
.awake{fill:var(--awake);background:var(--awake)}.unheard{fill:var(--unheard);background:var(--unheard)}.starting{fill:var(--starting);background:var(--starting)}.off{fill:var(--off);background:var(--off)}
.fault{fill:var(--c4);background:var(--c4)}.step{fill:var(--c1);background:var(--c1)}.load{fill:var(--c3);background:var(--c3)}
.key.c1{background:var(--c1)}.key.c2{background:var(--c2)}.key.c3{background:var(--c3)}.key.c4{background:var(--c4)}.key.c5{background:var(--c5)}.key.band{background:var(--band);opacity:.45}
.fall{margin:14px 0 4px;break-inside:avoid}.fall p{font-size:14px;margin:0 0 4px}
summary{cursor:pointer;margin-top:12px;color:var(--faint)}
.how{margin:-6px 0 10px;max-width:90ch;font-size:14px}.how summary{width:fit-content;margin:0;padding:3px 0;font-size:13px}.how p{margin:2px 0 8px;padding-left:12px;border-left:3px solid var(--rule)}
.behind{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 16px;list-style:none;margin:6px 0;padding:0;font-size:13px;color:var(--faint)}.behind li{overflow-wrap:anywhere;min-width:0}.behind a{display:inline-block;padding:3px 0}
main p a,td a,.behind a{color:var(--c1)}:target{scroll-margin-top:12px}.fall:target,.why:target{box-shadow:-8px 0 var(--paper),-11px 0 var(--c1)}
.why{margin-bottom:16px}.why p{max-width:100ch;margin-bottom:0}.why summary{margin-top:2px}.why ul{margin:6px 0}
.events td{text-align:left;white-space:normal;vertical-align:baseline}.events td:first-child{text-align:right;white-space:nowrap;padding-left:0}
:focus-visible{outline:2px solid var(--c1);outline-offset:3px;border-radius:3px}
.scroll{width:fit-content;max-width:100%;overflow-x:auto;background:linear-gradient(to left,var(--paper) 40%,transparent) right/36px 100% no-repeat local,linear-gradient(to left,var(--shade),transparent) right/14px 100% no-repeat}
table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums}
.tables{display:flex;flex-wrap:wrap;gap:0 36px;align-items:flex-start}.tables>*{min-width:0;max-width:100%}
.even{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,500px),1fr));gap:14px 36px}.even>.scroll{width:100%;max-width:560px}.even table{width:100%}
th,td{text-align:right;padding:4px 9px;border-bottom:1px solid var(--rule);white-space:nowrap}
thead th{font-weight:600;color:var(--faint);font-size:13px}
tbody th{font-weight:400;text-align:left;padding-left:0;white-space:normal;min-width:68px;max-width:640px}
tbody tr:last-child>*{border-bottom:0}
thead :first-child{text-align:left;padding-left:0}
@media screen and (max-width:760px){pre{white-space:pre-line}.tables>*,.scroll,table{width:100%}table{font-size:12px}th,td{padding:4px 3px}thead th{font-size:10px;padding:4px 2px;white-space:normal;vertical-align:bottom}tbody th{min-width:0}th:last-child,td:last-child{padding-right:0}
.long,.long thead,.long tbody{display:block}.long tr{display:flex;flex-wrap:wrap;align-items:flex-end;border-bottom:1px solid var(--rule)}.long tr>*{flex:1 1 0;min-width:0;border:0}.long thead td:first-child{display:none}.long tbody th{flex-basis:100%;max-width:none;padding-bottom:0}.long tbody tr:last-child{border:0}
.loose tr>:nth-child(n+2){flex-basis:30%}.loose tbody tr>:nth-child(n+5){white-space:normal}}
.workers td:last-child{text-align:left;white-space:normal;min-width:16em;overflow-wrap:anywhere}
footer{margin-top:40px;padding-top:14px;border-top:1px solid var(--rule);color:var(--faint);font-size:13px}
.cursor[hidden],.tip[hidden]{display:none}
@page{margin:14mm}
@media print{.cursor,.tip,nav{display:none}main a{color:inherit!important;text-decoration:none}.to{display:none}.how p{color:var(--faint);font-size:12px}:root{color-scheme:light}main{max-width:none;padding:0}figure,table,.checks tr,.alarm{break-inside:avoid}h2,h3,figcaption{break-after:avoid}.scroll{overflow:visible;background:none}.verdict,.tiles li,pre{print-color-adjust:exact}details::details-content{content-visibility:visible;height:auto}summary{display:none}}
`;
