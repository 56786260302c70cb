def load_label_head():
    return None
