const { ChartJSNodeCanvas } = require("chartjs-node-canvas");
const fs = require("fs");

const width = 800;
const height = 400;
const configuration = {
  type: "bar",
  data: {
    labels: ["Jan", "Февраль", "三月"],
    datasets: [{ label: "Revenue", data: [12, -4, 19], backgroundColor: "#0072B2" }],
  },
  options: { plugins: { title: { display: true, text: "Revenue by month" } } },
};

(async () => {
  const renderer = new ChartJSNodeCanvas({ width, height, backgroundColour: "white" });
  fs.writeFileSync("chart.png", await renderer.renderToBuffer(configuration));
  const url = await renderer.renderToDataURL(configuration);
  console.log(url.slice(0, 22));
  const vector = new ChartJSNodeCanvas({ width, height, type: "svg" });
  fs.writeFileSync("chart.svg", vector.renderToBufferSync(configuration, "image/svg+xml"));
})();
