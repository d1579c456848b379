import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

frame = pd.DataFrame(
    {"month": ["Jan", "Feb", "Mar", "Apr"], "revenue": [120, -35, 180, 210], "region": list("NSNS")}
)
figure, axes = plt.subplots(1, 2, figsize=(10, 4))
axes[0].bar(frame["month"], frame["revenue"])
axes[0].set_title("Revenue, Выручка, 收入")
sns.lineplot(data=frame, x="month", y="revenue", hue="region", ax=axes[1])
plt.savefig("revenue.png", dpi=150)
plt.savefig("revenue.svg")
frame.to_csv("revenue.csv", index=False)
frame.to_excel("revenue.xlsx", index=False)
print("mean", np.mean(frame["revenue"]))
