/**
 * Style sheet of the page. The colours are those of Okabe and Ito, which are distinct for any kind of colour vision; lines
 * also differ in their pattern.
 */
export const STYLE = `
:root{color-scheme:light dark;--paper:#fff;--ink:#1b2026;--faint:#5c6670;--rule:#e1e5e9;--card:#f6f8fa;--shade:#bcc4cc;
--good:#00684a;--good-paper:#dff5ec;--bad:#a33a00;--bad-paper:#fdeadf;--band:#d55e00;
--c1:#0072b2;--c2:#c77f00;--c3:#009e73;--c4:#d55e00;--c5:#b05a8a;
--asleep:#a9b7c6;--radio:#e69f00;--transfer:#0072b2;--service:#d55e00;--device:#009e73;--awake:#009e73;--unheard:#d55e00;--starting:#f0c642;--off:#e3e8ed}
@media screen and (prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#e6eaee;--faint:#98a3ae;--rule:#2b323a;--card:#1c2228;--shade:#4a545f;
--good:#5fd3a8;--good-paper:#123429;--bad:#ff9d66;--bad-paper:#43220f;--band:#ff8a3d;
--c1:#56b4e9;--c2:#e69f00;--c3:#2cc295;--c4:#ff7d33;--c5:#dd92ba;
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
.good{color:var(--good)}.bad{color:var(--bad)}
.verdict.good{background:var(--good-paper)}.verdict.bad{background:var(--bad-paper)}
.alarm{background:var(--bad-paper);color:var(--bad);border-left:5px solid var(--bad);padding:12px 16px;margin:0 0 20px;border-radius:4px;overflow-wrap:anywhere}
.alarm strong{display:block;font-size:18px}
code{font:13px/1.5 ui-monospace,"SF Mono",Menlo,Consolas,monospace;overflow-wrap:anywhere}
pre{margin:6px 0;white-space:pre-wrap;background:var(--card);padding:8px 12px;border-radius:6px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(165px,1fr));gap:10px;margin:18px 0;padding:0;list-style:none}
.tiles li{background:var(--card);border-radius:8px;padding:10px 14px}
.tiles b{display:block;font-size:19px;line-height:1.3;font-variant-numeric:tabular-nums}
.tiles span{color:var(--faint);font-size:13px}
.checks{list-style:none;margin:0;padding:0}
.checks li{padding:6px 0 6px 28px;border-bottom:1px solid var(--rule);position:relative;overflow-wrap:anywhere}
.checks li>b{position:absolute;left:4px}
.checks li:last-child{border-bottom:0}
.checks p{margin:0;color:var(--faint)}
figure{margin:22px 0 0}
figcaption{font-weight:600;margin-bottom:2px}
figcaption small{margin-left:6px}
svg{display:block;max-width:100%;height:auto;overflow:visible}
.legend{display:flex;flex-wrap:wrap;gap:2px 18px;list-style:none;margin:2px 0 6px;padding:0;font-size:13px}
.legend li{display:flex;align-items:center;gap:6px}
.legend svg{flex:none}
.narrow{display:none}
@media screen and (max-width:760px){main{padding:16px 14px 32px}.wide{display:none}.narrow{display:block}h1{font-size:22px}.tiles{grid-template-columns:1fr 1fr}}
text{font:11.5px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;fill:var(--ink)}
.axis{fill:var(--faint);font-variant-numeric:tabular-nums}.end{text-anchor:end}.middle{text-anchor:middle}
.grid{stroke:var(--rule)}.base,.tick{stroke:var(--faint)}
.band{fill:var(--band);fill-opacity:.13}
.lens{fill:var(--faint);fill-opacity:.12}
.station{stroke:var(--ink);stroke-opacity:.55}
.line{fill:none;stroke-width:1.7;stroke-linejoin:round}.dashed{stroke-dasharray:6 3}.dotted{stroke-dasharray:2 2.5}
.line.c1{stroke:var(--c1)}.line.c2{stroke:var(--c2)}.line.c3{stroke:var(--c3)}.line.c4{stroke:var(--c4)}.line.c5{stroke:var(--c5)}
.dot.c1{fill:var(--c1)}.dot.c2{fill:var(--c2)}.dot.c3{fill:var(--c3)}.dot.c4{fill:var(--c4)}.dot.c5{fill:var(--c5)}
.asleep{fill:var(--asleep)}.radio{fill:var(--radio)}.transfer{fill:var(--transfer)}.service{fill:var(--service)}.device{fill:var(--device)}
.awake{fill:var(--awake)}.unheard{fill:var(--unheard)}.starting{fill:var(--starting)}.off{fill:var(--off)}
.fault{fill:var(--c4)}.step{fill:var(--c1)}.load{fill:var(--c3)}
.fall{margin:14px 0 4px;break-inside:avoid}.fall p{font-size:14px;margin:0 0 4px}
summary{cursor:pointer;margin-top:12px;color:var(--faint)}
:focus-visible{outline:2px solid var(--c1);outline-offset:3px;border-radius:3px}
.scroll{overflow-x:auto;background:linear-gradient(to left,var(--paper) 40%,transparent) right/36px 100% no-repeat local,linear-gradient(to left,var(--shade),transparent) right/14px 100% no-repeat}
table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}
th,td{text-align:right;padding:4px 10px;border-bottom:1px solid var(--rule);white-space:nowrap}
thead th{font-weight:600;color:var(--faint);font-size:13px}
tbody th{font-weight:400;text-align:left;padding-left:0;white-space:normal;min-width:68px}
tbody tr:last-child>*{border-bottom:0}
@media screen and (max-width:760px){pre{white-space:pre-line}table{font-size:13px}thead th{font-size:12px}th,td{padding:4px 5px}th:last-child,td:last-child{padding-right:0}}
footer{margin-top:40px;padding-top:14px;border-top:1px solid var(--rule);color:var(--faint);font-size:13px}
@media print{:root{color-scheme:light}main{max-width:none;padding:0}figure,table,.checks li,.alarm{break-inside:avoid}h2,h3,figcaption{break-after:avoid}.scroll{overflow:visible;background:none}.verdict,.tiles li,pre{print-color-adjust:exact}details::details-content{content-visibility:visible;height:auto}summary{display:none}}
`;
