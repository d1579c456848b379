import fs from "node:fs";
import { Chart, registerables } from "chart.js";
import { createCanvas } from "@napi-rs/canvas";
import * as d3 from "d3";

Chart.register(...registerables);
const canvas = createCanvas(400, 300);
const data = d3.range(5).map((n) => n * n);
new Chart(canvas, {
  type: "bar",
  data: { labels: data, datasets: [{ data }] },
  options: { animation: false, responsive: false },
});
fs.writeFileSync("chart.png", canvas.toBuffer("image/png"));
