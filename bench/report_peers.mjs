// What report-run is measured beside: the same reports by @react-pdf/renderer, pptxgenjs, exceljs and
// chart.js. `node report_peers.mjs JOB DATA OUTPUT`; packages are those of the folder it lies in.
import fs from "node:fs";

const [job, source, output] = process.argv.slice(2);
const COLORS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9"];

/** A chart of a monthly report as chart.js takes it. */
function configuration(chart) {
  const type = chart.type === "pie" ? "doughnut" : chart.type;
  const dataset = {
    label: chart.title,
    data: chart.data.map((point) => point.value),
    backgroundColor: type === "doughnut" ? COLORS : COLORS[0],
    borderColor: COLORS[0],
  };
  return {
    type,
    data: { labels: chart.data.map((point) => point.label), datasets: [dataset] },
    options: { animation: false, responsive: false, devicePixelRatio: 1 },
  };
}

async function picture(chart, width = 960, height = 540) {
  const { createCanvas } = await import("@napi-rs/canvas");
  const { Chart } = await import("chart.js/auto");
  const canvas = createCanvas(width, height);
  canvas.style = {};
  new Chart(canvas.getContext("2d"), configuration(chart));
  return canvas.toBuffer("image/png");
}

async function chart(month) {
  fs.writeFileSync(output, await picture(month.charts[0]));
}

async function pdf(month) {
  const { createElement: h } = await import("react");
  const { Document, Image, Page, StyleSheet, Text, View, renderToFile } = await import(
    "@react-pdf/renderer"
  );
  const style = StyleSheet.create({
    page: { padding: 50, fontSize: 8 },
    title: { fontSize: 24, marginBottom: 16 },
    heading: { fontSize: 12, marginTop: 12, marginBottom: 6 },
    row: { flexDirection: "row" },
    cell: { flex: 1, padding: 4 },
    head: { flex: 1, padding: 4, color: "#FFFFFF", backgroundColor: "#12355B" },
    card: { flex: 1, padding: 8, margin: 4, border: "1 solid #E4E7EC" },
    foot: { position: "absolute", bottom: 20, right: 50 },
  });
  const cells = (values, look) => values.map((value, i) => h(Text, { style: look, key: i }, String(value)));
  const charts = [];
  for (const one of month.charts) charts.push({ title: one.title, png: await picture(one) });
  const page = h(
    Page, { size: "A4", style: style.page },
    h(Text, { style: style.title }, month.title),
    h(View, { style: style.row }, month.summary.map((kpi, i) =>
      h(View, { style: style.card, key: i }, cells([kpi.metric, kpi.value, `${kpi.change} %`])))),
    charts.map((one, i) => h(View, { key: i, wrap: false },
      h(Text, { style: style.heading }, one.title), h(Image, { src: one.png }))),
    month.tables.map((table, i) => h(View, { key: i },
      h(Text, { style: style.heading }, table.title),
      h(View, { style: style.row, fixed: true }, cells(table.headers, style.head)),
      table.rows.map((row, j) => h(View, { style: style.row, key: j, wrap: false }, cells(row, style.cell))))),
    h(Text, { style: style.foot, fixed: true, render: ({ pageNumber, totalPages }) => `Page ${pageNumber} of ${totalPages}` }),
  );
  await renderToFile(h(Document, { title: month.title }, page), output);
}

async function pptx(month) {
  const { default: Presentation } = await import("pptxgenjs");
  const deck = new Presentation();
  deck.layout = "LAYOUT_WIDE";
  deck.addSlide().addText(month.title, { x: 1, y: 3, w: 11, fontSize: 40 });
  const figures = deck.addSlide();
  month.summary.forEach((kpi, i) =>
    figures.addText(`${kpi.metric}\n${kpi.value}\n${kpi.change} %`, { x: 0.5 + 3 * i, y: 2, w: 2.8, h: 2 }));
  const kinds = { line: deck.charts.LINE, bar: deck.charts.BAR, pie: deck.charts.DOUGHNUT };
  for (const one of month.charts) {
    const data = { name: one.title, labels: one.data.map((p) => p.label), values: one.data.map((p) => p.value) };
    deck.addSlide().addChart(kinds[one.type], [data], { x: 0.5, y: 0.5, w: 12, h: 6 });
  }
  for (const table of month.tables) {
    const rows = [table.headers, ...table.rows].map((row) => row.map((cell) => ({ text: String(cell) })));
    deck.addSlide().addTable(rows, { x: 0.5, y: 0.5, w: 12, autoPage: true, fontSize: 10 });
  }
  await deck.writeFile({ fileName: output });
}

/** Rows of NDJSON streamed into a workbook. */
async function xlsx() {
  const readline = await import("node:readline");
  const { default: Excel } = await import("exceljs");
  const book = new Excel.stream.xlsx.WorkbookWriter({ filename: output, useStyles: true });
  const sheet = book.addWorksheet("Rows", { views: [{ state: "frozen", ySplit: 1 }] });
  let names = null;
  for await (const line of readline.createInterface({ input: fs.createReadStream(source) })) {
    const row = JSON.parse(line);
    if (names === null) {
      names = Object.keys(row);
      sheet.addRow(names).commit();
    }
    sheet.addRow(names.map((name) => row[name])).commit();
  }
  sheet.commit();
  await book.commit();
}

const jobs = { chart, pdf, pptx, xlsx };
await jobs[job](job === "xlsx" ? null : JSON.parse(fs.readFileSync(source, "utf8")));
